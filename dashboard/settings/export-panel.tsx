/** The period's days or events as a file, narrowed by the filters. */
import { useState } from "preact/hooks";
import { askFile, pathOf, ServiceError } from "../api/service.ts";
import { Dialog } from "../components/dialog.tsx";
import { saveFile } from "../components/save-file.ts";
import { noteFailure } from "../state/connection.ts";
import { closePanel, isFiltered, range, scope, site } from "../state/view.ts";
import { rangeText } from "../format/dates.ts";

/** As many events as the service gives at once. */
const EVENTS_MAX = 1_000_000;

export function ExportPanel() {
  const [kind, setKind] = useState("daily");
  const [format, setFormat] = useState("csv");
  const [state, setState] = useState<"idle" | "busy" | "done">("idle");
  const [problem, setProblem] = useState<string | null>(null);

  async function save(event: Event) {
    event.preventDefault();
    setState("busy");
    setProblem(null);
    try {
      const path = pathOf("/api/stats/export", { ...scope.value, kind, format, limit: kind === "raw" ? EVENTS_MAX : null });
      const { name, content } = await askFile(path, new AbortController().signal);
      saveFile(name, content);
      setState("done");
    } catch (error) {
      noteFailure(error);
      setProblem(error instanceof ServiceError ? error.message : "The file could not be made.");
      setState("idle");
    }
  }

  return (
    <Dialog title="Export" onClose={closePanel}>
      <p class="dim">
        {site.value}, {rangeText(range.value)} (UTC){isFiltered.value ? ", only what the filters let through" : ""}
      </p>
      <form class="form" onSubmit={(event) => void save(event)}>
        <fieldset>
          <legend>Rows</legend>
          <label class="choice">
            <input type="radio" name="kind" checked={kind === "daily"} onChange={() => setKind("daily")} /> One for each day
          </label>
          <label class="choice">
            <input type="radio" name="kind" checked={kind === "raw"} onChange={() => setKind("raw")} /> One for each event, without
            visitors' ids
          </label>
        </fieldset>
        <fieldset>
          <legend>Format</legend>
          <label class="choice">
            <input type="radio" name="format" checked={format === "csv"} onChange={() => setFormat("csv")} /> CSV
          </label>
          <label class="choice">
            <input type="radio" name="format" checked={format === "json"} onChange={() => setFormat("json")} /> JSON
          </label>
        </fieldset>
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="button primary" disabled={state === "busy"}>
          {state === "busy" ? "Preparing…" : "Save file"}
        </button>
        <p role="status">{state === "done" ? "Saved to your downloads." : ""}</p>
      </form>
    </Dialog>
  );
}
