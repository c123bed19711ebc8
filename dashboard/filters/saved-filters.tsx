/** Saved filters, in the filter dialog and in their own: choosing one replaces all filters, and the current filters can be saved. */
import { printFilter } from "../../src/shared/filters.ts";
import type { Segment } from "../api/saved.ts";
import { filterInWords } from "../format/filter-words.ts";
import { Dialog } from "../kit/dialog.tsx";
import { parseFilters, printFilters } from "../state/filters.ts";
import { navigate } from "../state/url.ts";
import { namelessFilter, ownFilters, savedConditions, savedFilter, savedFilterId, showSavedFilter } from "../state/view-filters.ts";
import { closePanel } from "../state/view.ts";
import { SavedItems } from "./saved-items.tsx";

const NAMELESS = { private: "someone else's segment", missing: "the deleted segment" } as const;

function textOf({ filters: text }: Segment): string {
  const filters = parseFilters(text);
  return filters.map((filter) => filterInWords(filter, filters)).join(", ");
}

/** The conditions of the saved filter and of the reader, each once; null if those of the saved filter are unknown. */
const currentFilters = (): string | null => {
  if (ownFilters.value.length === 0 || (savedFilterId.value !== null && savedFilter.value === null)) return null;
  const all = [...savedConditions.value, ...ownFilters.value];
  return printFilters([...new Map(all.map((filter) => [printFilter(filter), filter])).values()]);
};

export function SavedFilters() {
  const filters = currentFilters();
  return (
    <>
      <SavedItems
        kind="filters"
        noun="segment"
        current={filters === null ? null : { filters }}
        textOf={textOf}
        isShown={({ id }) => id === savedFilterId.value}
        onShow={({ id }) => showSavedFilter(id)}
        afterUpdate={({ id }) => id === savedFilterId.value && navigate({ filters: null })}
        afterDelete={({ id }) => id === savedFilterId.value && navigate({ segment: null })}
      />
      {namelessFilter.value && ownFilters.value.length > 0 ? (
        <p class="dim">To save your filters, first remove {NAMELESS[namelessFilter.value]}: its conditions are not known.</p>
      ) : (
        filters === null && <p class="dim">Set filters to save them as a segment.</p>
      )}
    </>
  );
}

export const SavedFiltersPanel = () => (
  <Dialog title="Segments" onClose={closePanel}>
    <SavedFilters />
  </Dialog>
);
