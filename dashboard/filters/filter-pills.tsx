/** The filters of the view: the button that adds one, and pills for each filter and for a saved filter. */
import { useEffect } from "preact/hooks";
import { printFilter, type Filter } from "../../src/shared/filters.ts";
import { filterInWords, wordsOf } from "../format/filter-words.ts";
import { countOf, partsOfAny } from "../format/locale.ts";
import { CrossButton, INLINE, LinkButton } from "../kit/inline.tsx";
import { tip } from "../kit/tips.ts";
import { authState, handleFailure } from "../state/connection.ts";
import { isSameFilter } from "../state/filters.ts";
import { showToast } from "../kit/toast.tsx";
import { lens, setLens } from "../state/lens.ts";
import { navigate, param } from "../state/url.ts";
import {
  canClear,
  clearAllFilters,
  filters,
  isFiltered,
  loadSavedItems,
  lockedFilters,
  namelessFilter,
  ownFilters,
  savedConditions,
  savedFilter,
  savedFilterId,
  setFilters,
} from "../state/view-filters.ts";
import { openBots, openPanel, site } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";

const FILTER_BUTTON_ID = "add-filter";

export const FilterButton = () => (
  <button type="button" id={FILTER_BUTTON_ID} class="bar-button" title={words.filters.add} onClick={() => openPanel("filter")}>
    <svg class="filter-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2 4h12M4.500 8h7M7 12h2" />
    </svg>
    <span class="filter-label">{words.filters.filter}</span>
  </button>
);

/** Moves the focus from a removed pill to the next one, or to the Filter button. */
function leavePill(pill: Element | null | undefined): void {
  const next = [pill?.nextElementSibling, pill?.previousElementSibling].map((other) => other?.querySelector<HTMLElement>(".pill-remove"));
  (next.find((found) => found != null) ?? document.getElementById(FILTER_BUTTON_ID))?.focus();
}

export function clearFilters(): void {
  if (!canClear.value) return;
  if (document.activeElement?.closest(".pills")) leavePill(null);
  const cleared = { filters: param("filters"), segment: param("segment") };
  clearAllFilters();
  showToast({ text: words.kit.filtersCleared, action: { label: words.kit.undo, run: () => navigate(cleared) } });
}

/** Values shown in a pill; its title and dialog show all. */
const VALUES_MAX = 3;

const shownOf = (values: readonly string[]): readonly string[] =>
  values.length <= VALUES_MAX
    ? values
    : [...values.slice(0, VALUES_MAX - 1), countOf(values.length - VALUES_MAX + 1, words.filters.others)];

function Words({ filter }: { readonly filter: Filter }) {
  const { condition, values } = wordsOf(filter, filters.value);
  if (values.length === 0) return <strong>{condition}</strong>;
  return (
    <>
      {condition} {partsOfAny(shownOf(values)).map(({ type, value }, i) => (type === "element" ? <strong key={i}>{value}</strong> : value))}
    </>
  );
}

/** Filters of a share link cannot be changed or removed. */
const LockedPill = ({ filter }: { readonly filter: Filter }) => (
  <li class="pill locked" {...tip(words.filters.locked)}>
    <span class="pill-text">
      <span class="unseen">{words.filters.fixed} </span>
      <Words filter={filter} />
    </span>
  </li>
);

const FilterPill = ({ filter }: { readonly filter: Filter }) => (
  <li class="pill">
    <button
      type="button"
      class="pill-text"
      title={fill(words.filters.change, { filter: filterInWords(filter, filters.value) })}
      onClick={() => openPanel(`filter:${printFilter(filter)}`)}
    >
      <Words filter={filter} />
    </button>
    <CrossButton
      class="pill-remove"
      label={fill(words.filters.remove, { filter: filterInWords(filter, filters.value) })}
      onClick={(event) => {
        leavePill(event.currentTarget.closest("li"));
        setFilters(ownFilters.value.filter((known) => !isSameFilter(known, filter)));
      }}
    />
  </li>
);

/** The service reveals a private segment only to its owner. */
const NAMELESS = {
  private: { name: words.filters.privateName, title: words.filters.privateTitle },
  missing: { name: words.filters.deletedName, title: words.filters.deletedTitle },
} as const;

function SavedFilterPill() {
  const nameless = namelessFilter.value && NAMELESS[namelessFilter.value];
  const name = nameless?.name ?? savedFilter.value?.name ?? "…";
  const conditions = savedConditions.value.map((filter) => filterInWords(filter, filters.value)).join(", ");
  return (
    <li class="pill">
      <button type="button" class="pill-text" {...tip(nameless?.title ?? conditions)} onClick={() => openPanel("segments")}>
        {nameless ? <strong>{name}</strong> : rich(words.filters.segment, { ...INLINE, name })}
      </button>
      <CrossButton
        class="pill-remove"
        label={fill(words.filters.removeSegment, { name })}
        onClick={(event) => {
          leavePill(event.currentTarget.closest("li"));
          navigate({ segment: null });
        }}
      />
    </li>
  );
}

/** A view by the default lens has no pill. */
function LensPill({ of }: { readonly of: "strict" | "everything" }) {
  return (
    <li class="pill">
      <button type="button" class="pill-text" title={words.filters.lensTitles[of]} onClick={openBots}>
        <strong>{words.filters.lenses[of]}</strong>
      </button>
      <CrossButton
        class="pill-remove"
        label={words.filters.removeLens}
        onClick={(event) => {
          leavePill(event.currentTarget.closest("li"));
          setLens("default");
        }}
      />
    </li>
  );
}

/** Loads the saved filter in the URL. If the list cannot be loaded, it stays without a name. */
function useSavedFilter(): void {
  const [siteId, isWanted] = [site.value, savedFilterId.value !== null && savedFilter.value === null];
  useEffect(() => {
    if (siteId !== null && isWanted) loadSavedItems(siteId).catch(handleFailure);
  }, [siteId, isWanted]);
}

export function FilterPills() {
  useSavedFilter();
  return !isFiltered.value && lens.value === "default" ? null : (
    <ul class="pills" aria-label={words.filters.list}>
      {lens.value !== "default" && <LensPill of={lens.value} />}
      {lockedFilters.value.map((filter) => (
        <LockedPill key={printFilter(filter)} filter={filter} />
      ))}
      {savedFilterId.value !== null && <SavedFilterPill />}
      {ownFilters.value.map((filter) => (
        <FilterPill key={printFilter(filter)} filter={filter} />
      ))}
      {ownFilters.value.length > 0 && authState.value === "logged_in" && (
        <li>
          <LinkButton onClick={() => openPanel("segments")}>{words.filters.saveAsSegment}</LinkButton>
        </li>
      )}
      {ownFilters.value.length > 0 && authState.value === "logged_in" && (
        <li>
          <LinkButton onClick={() => openPanel("rule")}>{words.filters.leaveOut}</LinkButton>
        </li>
      )}
      {canClear.value && (
        <li>
          <LinkButton onClick={clearFilters}>{words.filters.clearAll}</LinkButton>
        </li>
      )}
    </ul>
  );
}
