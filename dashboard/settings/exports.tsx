/** Archives of a site's events and reports, which the server makes in the background. */
import { useState } from "preact/hooks";
import { beginExport, deleteExport, exportFilePath, EXPORTS_PATH } from "../api/exports.ts";
import { addressOf, problemText, sendJson } from "../api/http.ts";
import type { NewSiteExport, SiteExport, SiteExports } from "../api/types.ts";
import { formatBytes, formatRange } from "../format/locale.ts";
import { Form, Select } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { today } from "../state/period.ts";
import { type Rhythm, useAction, usePolling } from "../state/requests.ts";
import { fill, words } from "../words/words.ts";

type Format = NewSiteExport["format"];

const RHYTHM: Rhythm = { firstMs: 0, pauseMs: () => 1000 };

/** The archives of a site, the newest first. They are asked for again while one is being made, and by `refresh`. */
function useExports(siteId: string) {
  const [all, setAll] = useState<SiteExports | null>(null);
  const isChanging = all === null || all.some(({ state }) => state === "running");
  usePolling<SiteExports>(isChanging ? EXPORTS_PATH : null, RHYTHM, setAll, (url, signal) => sendJson(url, { signal }));
  const refresh = async () => setAll(await sendJson<SiteExports>(EXPORTS_PATH, {}));
  return { exports: all?.filter(({ site_id: id }) => id === siteId) ?? [], refresh };
}

function datesText({ start_date: start, end_date: end }: SiteExport): string {
  if (start !== null && end !== null) return formatRange(start, end);
  if (start !== null) return fill(words.exports.since, { date: formatRange(start, start) });
  return end === null ? words.exports.allDays : fill(words.exports.until, { date: formatRange(end, end) });
}

interface RowProps {
  readonly made: SiteExport;
  readonly onChange: () => Promise<void>;
}

function ExportRow({ made, onChange }: RowProps) {
  const { export_id: id, format, state, bytes, failure } = made;
  const { problem, run } = useAction(problemText);
  const name = words.exports.formats[format];
  const subject = <span class="unseen"> {name}</span>;
  const stateText = bytes === null ? words.exports.states[state] : formatBytes(bytes);
  return (
    <li class="item">
      <div class="item-text">
        <h3>{name}</h3>
        <p class="dim">{`${datesText(made)}: ${stateText}`}</p>
        {failure !== null && <p lang="en">{failure}</p>}
      </div>
      <div class="item-tools">
        {state === "ready" && (
          <a class="button primary" href={addressOf(exportFilePath(id))} download>
            {words.exports.download}
            {subject}
          </a>
        )}
        <Button onClick={() => void run(() => deleteExport(id).then(onChange))}>
          {state === "running" ? words.exports.cancel : words.exports.delete}
          {subject}
        </Button>
      </div>
      <Problem text={problem} />
    </li>
  );
}

export function ExportsSection({ siteId }: { readonly siteId: string }) {
  const { exports, refresh } = useExports(siteId);
  const [format, setFormat] = useState<Format>("all");
  const [[start, end], setDates] = useState(["", ""]);
  const { isBusy, problem, run } = useAction(problemText);
  const make = () => beginExport({ site_id: siteId, format, start_date: start || null, end_date: end || null }).then(refresh);
  return (
    <section class="panel" aria-labelledby="exports-title">
      <h2 id="exports-title">{words.exports.title}</h2>
      <p class="dim">{words.exports.about}</p>
      <Form onSubmit={() => void run(make)}>
        <Select label={words.exports.content} labels={words.exports.formats} chosen={format} onChoose={setFormat} />
        <label>
          {words.exports.from}
          <input type="date" max={end || today.value} value={start} onInput={({ currentTarget }) => setDates([currentTarget.value, end])} />
        </label>
        <label>
          {words.exports.to}
          <input
            type="date"
            min={start}
            max={today.value}
            value={end}
            onInput={({ currentTarget }) => setDates([start, currentTarget.value])}
          />
        </label>
        <Problem text={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {words.exports.make}
        </button>
      </Form>
      {exports.length > 0 && (
        <ul class="items" aria-label={words.exports.title}>
          {exports.map((made) => (
            <ExportRow key={made.export_id} made={made} onChange={refresh} />
          ))}
        </ul>
      )}
    </section>
  );
}
