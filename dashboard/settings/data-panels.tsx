/** Dialogs on a site's data: one exports the period, as daily totals or raw events; others delete the events of some days, or the site. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { EXPORT_ROWS_MAX } from "../../src/shared/limits.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { dayAfter } from "../../src/shared/periods.ts";
import { deleteEvents, deleteSite } from "../api/endpoints.ts";
import { problemText, urlOf } from "../api/http.ts";
import { fetchFile } from "../api/reports.ts";
import { countOf, formatRange } from "../format/locale.ts";
import { Dialog, PasswordRequired } from "../kit/dialog.tsx";
import { fileNameOf, saveFile } from "../kit/download.ts";
import { Form, Radios } from "../kit/forms.tsx";
import { INLINE } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { readableId, siteName, timeZone } from "../state/known-sites.ts";
import { range, today } from "../state/period.ts";
import { reloadAll, useAction } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { isGuest, shared } from "../state/share.ts";
import { isFiltered } from "../state/view-filters.ts";
import { closePanel, site } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";
import { ALL_SETTINGS, discardChanges } from "./settings-form.tsx";

const TITLE = words.erase.title;

/** The spelling that is shown, and that of the API. */
const isNameOf = (siteId: string, typed: string): boolean => [siteId, readableId(siteId)].includes(typed);

interface DeletionFormProps {
  readonly siteId: string;
  /** Resolves with what was deleted, in a sentence. */
  readonly onDelete: () => Promise<string>;
  readonly children?: ComponentChildren;
}

/** Deletes once the name of the site is typed. */
function DeletionForm({ siteId, onDelete, children }: DeletionFormProps) {
  const [typed, setTyped] = useState("");
  const [deleted, setDeleted] = useState("");
  const { isBusy, problem, run } = useAction((error) => problemText(error, words.erase.notConfirmed));

  async function remove() {
    setDeleted(await onDelete());
    setTyped("");
    reloadAll();
  }

  return (
    <Form onSubmit={() => void run(remove)}>
      {children}
      <label>
        {fill(words.erase.typeToConfirm, { site: readableId(siteId) })}
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
      <button type="submit" class="button danger" disabled={isBusy || !isNameOf(siteId, typed)}>
        {isBusy ? words.erase.deleting : words.erase.deleteNow}
      </button>
      <p role="status">{deleted}</p>
    </Form>
  );
}

function DeleteDays({ siteId }: { readonly siteId: string }) {
  const [start, setStart] = useState(range.value.start);
  const [end, setEnd] = useState(range.value.end);

  async function deleteDays(): Promise<string> {
    const { db_records_deleted: events, parquet_partitions_deleted: days } = await deleteEvents(siteId, start, end);
    return fill(words.erase.deleted, { events: countOf(events, words.counts.event), days: countOf(days, words.counts.day) });
  }

  const dayField = (label: string, day: string, onInput: (day: string) => void) => (
    <label>
      {label}
      <input type="date" required max={today.value} value={day} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
  return (
    <DeletionForm siteId={siteId} onDelete={deleteDays}>
      <div class="form-row">
        {dayField(words.erase.startDate, start, setStart)}
        {dayField(words.erase.endDate, end, setEnd)}
      </div>
    </DeletionForm>
  );
}

export function DeletePanel() {
  const siteId = site.value ?? "";
  if (authState.value !== "logged_in") return <PasswordRequired title={TITLE}>{words.erase.passwordNeeded}</PasswordRequired>;
  return (
    <Dialog title={TITLE} onClose={closePanel}>
      <p>{rich(words.erase.about, { ...INLINE, site: readableId(siteId), zone: timeZone.value })}</p>
      <DeleteDays siteId={siteId} />
    </Dialog>
  );
}

async function deleteAll(siteId: string): Promise<string> {
  const { events_deleted: events } = await deleteSite(siteId);
  discardChanges(siteId, ALL_SETTINGS);
  return fill(words.deleteSite.deleted, { site: readableId(siteId), events: countOf(events, words.counts.event) });
}

export function DeleteSitePanel() {
  const siteId = site.value ?? "";
  const { title, passwordNeeded, about, trackingCode } = words.deleteSite;
  if (authState.value !== "logged_in") return <PasswordRequired title={title}>{passwordNeeded}</PasswordRequired>;
  return (
    <Dialog title={title} onClose={closePanel}>
      <p>{rich(about, { ...INLINE, site: readableId(siteId) })}</p>
      <p class="dim">{trackingCode}</p>
      <DeletionForm siteId={siteId} onDelete={() => deleteAll(siteId)} />
    </Dialog>
  );
}

const FILES = { daily: words.exportDialog.daily, raw: words.exportDialog.raw } as const;
/** Guests get single files. */
const KINDS: Readonly<Record<string, string>> = { ...FILES, ...(!isGuest && { archive: words.exportDialog.archive }) };
const FORMATS = { csv: "CSV", json: "JSON" } as const;
const EXPORT_COMMAND = `${PRODUCT_NAME.toLowerCase()} export`;

type Kind = keyof typeof FILES | "archive";
type Format = keyof typeof FORMATS;

const exportUrl = (kind: Exclude<Kind, "archive">, format: Format, dates: Readonly<Record<string, string | null>> = {}): string =>
  urlOf("/api/stats/export", {
    ...scope.value,
    ...dates,
    kind,
    format,
    ...(kind === "raw" ? { limit: EXPORT_ROWS_MAX } : { attribution: "visit" }),
    bom: format === "csv" ? "true" : null,
  });

/** A day, whatever the period of the view is. */
const onDay = (day: string) => ({ period: null, interval: null, start_date: day, end_date: day });

export function ExportPanel() {
  const [kind, setKind] = useState<Kind>("daily");
  const [format, setFormat] = useState<Format>("csv");
  const [status, setStatus] = useState("");
  const closed = useRef(new AbortController());
  useEffect(() => () => closed.current.abort(), []);
  const { isBusy, problem, run } = useAction((error) => problemText(error, words.exportDialog.failed));

  async function fetchArchive(signal: AbortSignal): Promise<Blob> {
    const { start, days } = range.value;
    const { eventArchive } = await import("./event-archive.ts");
    return eventArchive({
      days: Array.from({ length: days }, (_, i) => dayAfter(start, i)),
      format,
      fetchDay: (day) => fetchFile(exportUrl("raw", format, onDay(day)), signal),
      onProgress: (done) => setStatus(fill(words.exportDialog.daysDone, { done, days: countOf(days, words.counts.day) })),
    });
  }

  async function save() {
    setStatus("");
    const { signal } = closed.current;
    const content = await (kind === "archive" ? fetchArchive(signal) : fetchFile(exportUrl(kind, format), signal));
    saveFile(fileNameOf(kind === "archive" ? "events" : kind, kind === "archive" ? "zip" : format), content);
    setStatus(words.exportDialog.saved);
  }

  return (
    <Dialog title={words.exportDialog.title} onClose={closePanel}>
      <p class="dim">
        {fill(isFiltered.value ? words.exportDialog.aboutFiltered : words.exportDialog.about, {
          site: siteName.value,
          dates: formatRange(range.value.start, range.value.end),
          zone: timeZone.value,
        })}
      </p>
      <Form onSubmit={() => void run(save)}>
        {shared.value?.raw_export !== false && (
          <Radios legend={words.exportDialog.rows} name="kind" labels={KINDS} chosen={kind} onChoose={(id) => setKind(id as Kind)} />
        )}
        <Radios legend={words.exportDialog.format} name="format" labels={FORMATS} chosen={format} onChoose={setFormat} />
        <Problem text={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? words.exportDialog.preparing : words.exportDialog.download}
        </button>
        <p role="status">{status}</p>
      </Form>
      {!isGuest && <p class="dim">{rich(words.exportDialog.everything, { ...INLINE, command: EXPORT_COMMAND })}</p>}
    </Dialog>
  );
}
