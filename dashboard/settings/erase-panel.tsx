/** Erases a site's days, once the site's name has been typed. */
import { useState } from "preact/hooks";
import { erase, ServiceError } from "../api/service.ts";
import type { Erased } from "../api/types.ts";
import { Dialog } from "../components/dialog.tsx";
import { askAgain, door, noteFailure } from "../state/connection.ts";
import { forgetAnswers } from "../state/use-report.ts";
import { closePanel, openPanel, range, site, today } from "../state/view.ts";
import { countOf } from "../format/numbers.ts";

export function ErasePanel() {
  const [start, setStart] = useState(range.value.start);
  const [end, setEnd] = useState(range.value.end);
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [erased, setErased] = useState<Erased | null>(null);
  const siteId = site.value ?? "";

  async function eraseNow(event: Event) {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      setErased(await erase(siteId, start, end));
      setTyped("");
      forgetAnswers();
      askAgain();
    } catch (error) {
      noteFailure(error);
      setProblem(error instanceof ServiceError ? error.message : "Nothing is known to have been erased.");
    }
    setBusy(false);
  }

  if (door.value !== "inside") {
    return (
      <Dialog title="Erase data" onClose={closePanel}>
        <p>Only whoever has the password may erase. This instance has none yet.</p>
        <button type="button" class="button primary" onClick={() => openPanel("password")}>
          Set a password
        </button>
      </Dialog>
    );
  }
  return (
    <Dialog title="Erase data" onClose={closePanel}>
      <p>
        Erases all events of <strong>{siteId}</strong> on these days (UTC), for good. Filters do not matter here.
      </p>
      <form class="form" onSubmit={(event) => void eraseNow(event)}>
        <div class="form-row">
          <label>
            First day
            <input type="date" required max={today.value} value={start} onInput={(event) => setStart(event.currentTarget.value)} />
          </label>
          <label>
            Last day, included
            <input type="date" required max={today.value} value={end} onInput={(event) => setEnd(event.currentTarget.value)} />
          </label>
        </div>
        <label>
          Type {siteId} to confirm
          <input
            type="text"
            name="confirmation"
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="button danger" disabled={isBusy || typed !== siteId}>
          {isBusy ? "Erasing…" : "Erase for good"}
        </button>
        <p role="status">
          {erased &&
            `Erased ${countOf(erased.db_records_deleted, "event")} and the files of ${countOf(erased.parquet_partitions_deleted, "day")}.`}
        </p>
      </form>
    </Dialog>
  );
}
