/** The list of saved segments, funnels or sequences, and the form that saves the current view. */
import { useEffect } from "preact/hooks";
import { problemText } from "../api/http.ts";
import { addSegment, deleteSegment, replaceSegment, type Segment } from "../api/segments.ts";
import { Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { loadSegments, segments } from "../state/segments.ts";
import { useAction } from "../state/use-action.ts";
import { clearReportCache } from "../state/use-report.ts";
import { site } from "../state/view.ts";
import { SaveForm } from "./saved-forms.tsx";
import { SavedItem } from "./saved-item.tsx";
import type { SavedKind } from "./saved-kind.ts";

/** Without a password nobody may change anything. */
export function SavedItems({ kind, noun, current, afterUpdate, afterDelete, ...item }: SavedKind) {
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
      {current !== null && authState.value === "logged_in" && <SaveForm noun={noun} onSave={save} />}
      {items.length > 0 && (
        <ul class="saved" aria-label={`Saved ${noun}s`}>
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
      {current !== null && authState.value === "open" && <p class="dim">Set a password to save a {noun}.</p>}
    </>
  );
}
