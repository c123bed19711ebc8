/** Items saved under a name: the list of saved filters, funnels or sequences, and the form that saves the current view (docs/segments.md). */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { printFilter } from "../../src/shared/filters.ts";
import { ITEM_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { problemText } from "../api/http.ts";
import { addSegment, deleteSegment, replaceSegment, type Segment } from "../api/saved.ts";
import { filterInWords } from "../format/filter-words.ts";
import { Dialog } from "../kit/dialog.tsx";
import { ConfirmedButton, Form, NameInput, Select } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { parseFilters, printFilters } from "../state/filters.ts";
import { clearReportCache, useAction } from "../state/requests.ts";
import { navigate } from "../state/url.ts";
import {
  loadSavedItems,
  namelessFilter,
  ownFilters,
  savedConditions,
  savedFilter,
  savedFilterId,
  savedItems,
  showSavedFilter,
} from "../state/view-filters.ts";
import { closePanel, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";

export type Saved = Partial<Pick<Segment, "filters" | "steps" | "window" | "modes">>;

interface SavedKind {
  readonly kind: Segment["kind"];
  /** null if the current view has nothing to save. */
  readonly current: Saved | null;
  readonly textOf: (item: Segment) => string;
  readonly isShown: (item: Segment) => boolean;
  readonly onShow: (item: Segment) => void;
  readonly afterUpdate?: (item: Segment) => void;
  readonly afterDelete?: (item: Segment) => void;
}

const SCOPES: Readonly<Record<Segment["scope"], string>> = { everybody: words.saved.everyone, oneself: words.saved.onlyBrowser };

function SaveForm({
  kind,
  onSave,
}: {
  readonly kind: Segment["kind"];
  readonly onSave: (name: string, scope: Segment["scope"]) => Promise<void>;
}) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Segment["scope"]>("everybody");
  const { isBusy, problem, run } = useAction(problemText);
  return (
    <Form
      class="form inline"
      label={words.saved[kind].saveAs}
      onSubmit={() => {
        if (name.trim() !== "" && !isBusy) void run(() => onSave(name.trim(), scope));
      }}
    >
      <NameInput
        label={words.saved[kind].saveAs}
        charsMax={ITEM_NAME_CHARS_MAX}
        placeholder={words.saved.name}
        value={name}
        onInput={setName}
      />
      <Select label={words.saved.visibleTo} labels={SCOPES} chosen={scope} onChoose={setScope} />
      <button type="submit" class="button" aria-disabled={isBusy}>
        {words.saved.save}
      </button>
      <Problem text={problem} />
    </Form>
  );
}

interface RenameFormProps {
  readonly item: Segment;
  readonly onRename: (name: string) => void;
  readonly onCancel: () => void;
}

function RenameForm({ item, onRename, onCancel }: RenameFormProps) {
  const [name, setName] = useState(item.name);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const input = form.current?.querySelector("input");
    input?.focus();
    input?.select();
  }, []);
  return (
    <Form
      class="form inline"
      root={form}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // The dialog around it stays open.
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
      onSubmit={() => {
        if (name.trim() !== "") onRename(name.trim());
      }}
    >
      <NameInput label={words.saved.name} charsMax={ITEM_NAME_CHARS_MAX} value={name} onInput={setName} />
      <button type="submit" class="button">
        {words.saved.rename}
      </button>
      <Button onClick={onCancel}>{words.saved.cancel}</Button>
    </Form>
  );
}

interface SavedItemProps extends Pick<SavedKind, "current" | "textOf" | "isShown" | "onShow"> {
  readonly item: Segment;
  readonly onRename: (name: string) => void;
  readonly onUpdate: () => void;
  readonly onDelete: () => void;
}

function SavedItem({ item, current, textOf, isShown, onShow, onRename, onUpdate, onDelete }: SavedItemProps) {
  const [isRenaming, setRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  // The focus returns from the form to the button that opened it.
  useLayoutEffect(() => {
    if (wasRenaming.current) button.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);
  if (isRenaming) {
    return (
      <li>
        <RenameForm
          item={item}
          onRename={(name) => {
            onRename(name);
            setRenaming(false);
          }}
          onCancel={() => setRenaming(false)}
        />
      </li>
    );
  }
  return (
    <li class="saved-item">
      <div class="saved-text">
        <button type="button" class="link" aria-pressed={isShown(item)} onClick={() => onShow(item)}>
          {item.name}
        </button>
        <p class="dim">{item.scope === "oneself" ? fill(words.saved.onlyYou, { conditions: textOf(item) }) : textOf(item)}</p>
      </div>
      {authState.value === "logged_in" && (
        <div class="saved-tools">
          <button type="button" class="button small" ref={button} onClick={() => setRenaming(true)}>
            {words.saved.rename}
            <span class="unseen"> {item.name}</span>
          </button>
          {current !== null && (
            <ConfirmedButton
              isSmall
              isDanger={false}
              label={words.saved.update}
              confirmLabel={words.saved.confirmUpdate}
              subject={item.name}
              onConfirm={onUpdate}
            />
          )}
          <ConfirmedButton
            isSmall
            label={words.saved.delete}
            confirmLabel={words.saved.confirmDelete}
            subject={item.name}
            onConfirm={onDelete}
          />
        </div>
      )}
    </li>
  );
}

/** Changes require a password. */
export function SavedItems({ kind, current, afterUpdate, afterDelete, ...item }: SavedKind) {
  const siteId = site.value ?? "";
  const { problem, run } = useAction(problemText);
  const items = (savedItems.value ?? []).filter((each) => each.kind === kind);
  useEffect(() => void run(() => loadSavedItems(siteId)), [siteId]);

  /** @throws ServiceError if the service refuses it */
  async function change<T>(action: () => Promise<T>): Promise<T> {
    const changed = await action();
    await loadSavedItems(siteId);
    clearReportCache();
    return changed;
  }

  const save = async (name: string, scope: Segment["scope"]) =>
    item.onShow(await change(() => addSegment(siteId, { name, scope, kind, ...current })));

  async function update(each: Segment) {
    await change(() => replaceSegment(siteId, each.id, { ...each, ...current }));
    afterUpdate?.(each);
  }

  async function remove(each: Segment) {
    await change(() => deleteSegment(siteId, each.id));
    afterDelete?.(each);
  }

  return (
    <>
      <Problem text={problem} />
      {current !== null && authState.value === "logged_in" && <SaveForm kind={kind} onSave={save} />}
      {items.length > 0 && (
        <ul class="saved" aria-label={words.saved[kind].list}>
          {items.map((each) => (
            <SavedItem
              key={each.id}
              item={each}
              current={current}
              {...item}
              onRename={(name) => void run(() => change(() => replaceSegment(siteId, each.id, { ...each, name })))}
              onUpdate={() => void run(() => update(each))}
              onDelete={() => void run(() => remove(each))}
            />
          ))}
        </ul>
      )}
      {current !== null && authState.value === "open" && <p class="dim">{words.saved[kind].passwordNeeded}</p>}
    </>
  );
}

const NAMELESS = { private: words.saved.removePrivate, missing: words.saved.removeDeleted } as const;

function filtersText({ filters: text }: Segment): string {
  const filters = parseFilters(text);
  return filters.map((filter) => filterInWords(filter, filters)).join(", ");
}

/** The conditions of the saved filter and of the reader, each once; null if those of the saved filter are unknown. */
export const currentFilters = (): string | null => {
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
        current={filters === null ? null : { filters }}
        textOf={filtersText}
        isShown={({ id }) => id === savedFilterId.value}
        onShow={({ id }) => showSavedFilter(id)}
        afterUpdate={({ id }) => id === savedFilterId.value && navigate({ filters: null })}
        afterDelete={({ id }) => id === savedFilterId.value && navigate({ segment: null })}
      />
      {namelessFilter.value && ownFilters.value.length > 0 ? (
        <p class="dim">{NAMELESS[namelessFilter.value]}</p>
      ) : (
        filters === null && <p class="dim">{words.saved.setFilters}</p>
      )}
    </>
  );
}

export const SavedFiltersPanel = () => (
  <Dialog title={words.saved.segments} onClose={closePanel}>
    <SavedFilters />
  </Dialog>
);
