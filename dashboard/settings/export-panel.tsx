/** The dialog that exports the period: daily totals or raw events, as CSV or JSON. */
import { useState } from "preact/hooks";
import { EXPORT_ROWS_MAX } from "../../src/shared/limits.ts";
import { problemText, urlOf } from "../api/http.ts";
import { fetchFile } from "../api/reports.ts";
import { formatRange } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { fileNameOf, saveFile } from "../kit/download.ts";
import { Form, Radios } from "../kit/forms.tsx";
import { Problem } from "../kit/states.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { range } from "../state/period.ts";
import { useAction } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { isFiltered } from "../state/view-filters.ts";
import { closePanel } from "../state/view.ts";

const KINDS = { daily: "Daily totals", raw: "Raw events (no visitor IDs)" } as const;
const FORMATS = { csv: "CSV", json: "JSON" } as const;

export function ExportPanel() {
  const [kind, setKind] = useState<keyof typeof KINDS>("daily");
  const [format, setFormat] = useState<keyof typeof FORMATS>("csv");
  const [isSaved, setSaved] = useState(false);
  const { isBusy, problem, run } = useAction((error) => problemText(error, "The export failed."));

  async function save() {
    setSaved(false);
    const url = urlOf("/api/stats/export", { ...scope.value, kind, format, limit: kind === "raw" ? EXPORT_ROWS_MAX : null });
    saveFile(fileNameOf(kind, format), await fetchFile(url, new AbortController().signal));
    setSaved(true);
  }

  return (
    <Dialog title="Export" onClose={closePanel}>
      <p class="dim">
        {siteName.value}, {formatRange(range.value.start, range.value.end)} ({timeZone.value}){isFiltered.value ? ", filters applied" : ""}
      </p>
      <Form onSubmit={() => void run(save)}>
        <Radios legend="Rows" name="kind" labels={KINDS} chosen={kind} onChoose={setKind} />
        <Radios legend="Format" name="format" labels={FORMATS} chosen={format} onChoose={setFormat} />
        <Problem text={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? "Preparing…" : "Download"}
        </button>
        <p role="status">{isSaved ? "Saved to your downloads." : ""}</p>
      </Form>
    </Dialog>
  );
}
