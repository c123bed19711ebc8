/** What is saved of one kind: a list to choose from, rename, update and delete, and a form that saves what is shown. */
import { useEffect, useState } from "preact/hooks";
import { addSegment, deleteSegment, replaceSegment, type Segment } from "../api/segments.ts";
import { problemText } from "../api/http.ts";
import { ConfirmedButton } from "../components/confirmed-button.tsx";
import { Problem } from "../components/states.tsx";
import { authState } from "../state/connection.ts";
import { loadSegments, segments } from "../state/segments.ts";
import { useAction } from "../state/use-action.ts";
import { clearReportCache } from "../state/use-report.ts";
import { site } from "../state/view.ts";

/** The service's limit. */
const NAME_CHARS_MAX = 100;

/** What a kind saves. */
export type Saved = Partial<Pick<Segment, "filters" | "steps" | "window" | "modes">>;

export interface SavedKind {
  readonly kind: Segment["kind"];
  /** `segment`, `funnel` */
  readonly noun: string;
  /** What is shown now; null where there is nothing to save. */
  readonly current: Saved | null;
  readonly textOf: (item: Segment) => string;
  readonly isShown: (item: Segment) => boolean;
  readonly onShow: (item: Segment) => void;
}

const SCOPES: Readonly<Record<Segment["scope"], string>> = { everybody: "Everybody", oneself: "Only me, in this browser" };

interface SaveFormProps {
  readonly noun: string;
  readonly onSave: (name: string, scope: Segment["scope"]) => Promise<void>;
}

function SaveForm({ noun, onSave }: SaveFormProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Segment["scope"]>("everybody");
  const { isBusy, problem, run } = useAction(problemText);
  return (
    <form
      class="form inline"
      aria-label={`Save as a ${noun}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "" && !isBusy) void run(() => onSave(name.trim(), scope));
      }}
    >
      <label>
        Save as a {noun}
        <input
          type="text"
          required
          maxLength={NAME_CHARS_MAX}
          autocomplete="off"
          placeholder="Name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        For
        <select value={scope} onChange={(event) => setScope(event.currentTarget.value as Segment["scope"])}>
          {Object.entries(SCOPES).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button" aria-disabled={isBusy}>
        Save
      </button>
      <Problem text={problem} />
    </form>
  );
}

interface RenameFormProps {
  readonly item: Segment;
  readonly onRename: (name: string) => void;
  readonly onCancel: () => void;
}

function RenameForm({ item, onRename, onCancel }: RenameFormProps) {
  const [name, setName] = useState(item.name);
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") onRename(name.trim());
      }}
    >
      <label>
        Name
        <input
          type="text"
          required
          autoFocus
          maxLength={NAME_CHARS_MAX}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        Rename
      </button>
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}

interface ItemProps extends Pick<SavedKind, "current" | "textOf" | "isShown" | "onShow"> {
  readonly item: Segment;
  readonly onReplace: (changes: Saved | { readonly name: string }) => void;
  readonly onDelete: () => void;
}

function Item({ item, current, textOf, isShown, onShow, onReplace, onDelete }: ItemProps) {
  const [isRenaming, setRenaming] = useState(false);
  if (isRenaming) {
    return (
      <li>
        <RenameForm
          item={item}
          onRename={(name) => {
            onReplace({ name });
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
        <p class="dim">
          {textOf(item)}
          {item.scope === "oneself" && " · Only you"}
        </p>
      </div>
      {authState.value === "logged_in" && (
        <div class="saved-tools">
          <button type="button" class="button small" onClick={() => setRenaming(true)}>
            Rename<span class="unseen"> {item.name}</span>
          </button>
          {current !== null && (
            <ConfirmedButton
              isSmall
              label="Update"
              confirmLabel="Confirm update"
              subject={item.name}
              onConfirm={() => onReplace(current)}
            />
          )}
          <ConfirmedButton isSmall label="Delete" confirmLabel="Confirm delete" subject={item.name} onConfirm={onDelete} />
        </div>
      )}
    </li>
  );
}

/** Without a password nobody may change anything. */
export function SavedItems({ kind, noun, current, ...item }: SavedKind) {
  const siteId = site.value ?? "";
  const { problem, run } = useAction(problemText);
  const items = (segments.value ?? []).filter((each) => each.kind === kind);
  useEffect(() => void run(() => loadSegments(siteId)), [siteId]);

  /** @throws ServiceError if the service refuses it */
  async function change(action: () => Promise<unknown>): Promise<void> {
    await action();
    await loadSegments(siteId);
    clearReportCache();
  }

  async function save(name: string, scope: Segment["scope"]) {
    let added: Segment | undefined;
    await change(async () => {
      added = await addSegment(siteId, { name, scope, kind, ...current });
    });
    if (added) item.onShow(added);
  }

  return (
    <>
      <Problem text={problem} />
      {items.length > 0 && (
        <ul class="saved" aria-label={`Saved ${noun}s`}>
          {items.map((each) => (
            <Item
              key={each.id}
              item={each}
              current={current}
              {...item}
              onReplace={(changes) => void run(() => change(() => replaceSegment(siteId, each.id, { ...each, ...changes })))}
              onDelete={() => void run(() => change(() => deleteSegment(siteId, each.id)))}
            />
          ))}
        </ul>
      )}
      {current !== null && authState.value === "logged_in" && <SaveForm noun={noun} onSave={save} />}
      {current !== null && authState.value === "open" && <p class="dim">Set a password to save a {noun}.</p>}
    </>
  );
}
