/** The dialog that deletes a site's events of some days. The reader confirms by typing the site's name. */
import { useState } from "preact/hooks";
import { deleteEvents } from "../api/admin.ts";
import { problemText } from "../api/http.ts";
import type { Erased } from "../api/types.ts";
import { countOf } from "../format/locale.ts";
import { Dialog, PasswordRequired } from "../kit/dialog.tsx";
import { Form } from "../kit/forms.tsx";
import { Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { timeZone } from "../state/known-sites.ts";
import { range, today } from "../state/period.ts";
import { useAction, reloadAll } from "../state/requests.ts";
import { closePanel, site } from "../state/view.ts";

const TITLE = "Delete data";

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (day: string) => void;
}

const DayField = ({ label, value, onInput }: DayFieldProps) => (
  <label>
    {label}
    <input type="date" required max={today.value} value={value} onInput={(event) => onInput(event.currentTarget.value)} />
  </label>
);

function DeleteForm({ siteId }: { readonly siteId: string }) {
  const [start, setStart] = useState(range.value.start);
  const [end, setEnd] = useState(range.value.end);
  const [typed, setTyped] = useState("");
  const [deleted, setDeleted] = useState<Erased | null>(null);
  const { isBusy, problem, run } = useAction((error) => problemText(error, "Couldn't confirm deletion."));

  async function deleteDays() {
    setDeleted(await deleteEvents(siteId, start, end));
    setTyped("");
    reloadAll();
  }

  return (
    <Form onSubmit={() => void run(deleteDays)}>
      <div class="form-row">
        <DayField label="Start date" value={start} onInput={setStart} />
        <DayField label="End date" value={end} onInput={setEnd} />
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
      <Problem text={problem} />
      <button type="submit" class="button danger" disabled={isBusy || typed !== siteId}>
        {isBusy ? "Deleting…" : "Delete permanently"}
      </button>
      <p role="status">
        {deleted &&
          `Deleted ${countOf(deleted.db_records_deleted, "event")} and the files of ${countOf(deleted.parquet_partitions_deleted, "day")}.`}
      </p>
    </Form>
  );
}

export function DeletePanel() {
  const siteId = site.value ?? "";
  if (authState.value !== "logged_in") return <PasswordRequired title={TITLE}>Deleting data requires a password.</PasswordRequired>;
  return (
    <Dialog title={TITLE} onClose={closePanel}>
      <p>
        Permanently deletes all events of <strong>{siteId}</strong> on these days ({timeZone.value}). Filters are ignored.
      </p>
      <DeleteForm siteId={siteId} />
    </Dialog>
  );
}
