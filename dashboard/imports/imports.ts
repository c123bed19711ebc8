/** The imports of the instance as this page knows them, and what is done to them. */
import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { sendJson, ServiceError } from "../api/http.ts";
import { beginImport, changeImport, deleteImport, getImport, importPath, IMPORTS_PATH } from "../api/imports.ts";
import type { Import, Imports } from "../api/types.ts";
import { countOf } from "../format/locale.ts";
import { reloadAll, usePolling, type Rhythm } from "../state/requests.ts";
import { openPanel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { checkChosen, filesMissing, type ChosenFile } from "./chosen-files.ts";
import { isSending, upload } from "./uploads.ts";

export type ImportSummary = Imports[number];

/** null until they are known. */
const known = signal<Imports | null>(null);

/** `1,204 events`, `sums of 31 days`, or both */
export const contentText = ({ events, days }: Pick<ImportSummary, "events" | "days">): string =>
  [
    ...(events > 0 || days === 0 ? [countOf(events, words.counts.event)] : []),
    ...(days > 0 ? [fill(words.imports.sumsOf, { days: countOf(days, words.counts.day) })] : []),
  ].join(", ");

const isWorking = ({ state }: ImportSummary): boolean => state === "reading" || state === "running" || state === "deleting";

const WORKING_MS = 1000;
const IDLE_MS = 10_000;

const load = <T>(url: string, abort: AbortSignal): Promise<T> => sendJson<T>(url, { signal: abort });

/** Reports have changed once an import has become shown. */
function setKnown(imports: Imports): void {
  const before = known.peek();
  known.value = imports;
  const wasShown = (id: number) => before?.some((each) => each.import_id === id && each.state !== "running") ?? true;
  if (imports.some(({ import_id: id, state }) => state === "shown" && !wasShown(id))) reloadAll();
}

const LIST_RHYTHM: Rhythm = { firstMs: 0, pauseMs: () => (known.peek()?.some(isWorking) === true ? WORKING_MS : IDLE_MS) };

/** The imports of a site, the newest first; null until they are known. */
export function useImports(siteId: string): readonly ImportSummary[] | null {
  usePolling<Imports>(IMPORTS_PATH, LIST_RHYTHM, setKnown, load);
  return known.value?.filter(({ site_id: id }) => id === siteId) ?? null;
}

const loadImports = async (): Promise<void> => setKnown(await sendJson<Imports>(IMPORTS_PATH, {}));

/** undefined until it is known; null if there is none. `set` takes what a change of it was answered with. */
export function useImport(id: number): { readonly details: Import | null | undefined; readonly set: (details: Import) => void } {
  const [details, set] = useState<Import | null>();
  const latest = useRef(details);
  latest.current = details;
  const rhythm: Rhythm = {
    firstMs: 0,
    pauseMs: () => (latest.current && (isWorking(latest.current) || latest.current.state === "receiving") ? WORKING_MS : IDLE_MS),
  };
  usePolling<Import | null>(importPath(id), rhythm, set, (url, abort) => load<Import>(url, abort).catch(nullIfMissing));
  return { details, set };
}

function nullIfMissing(error: unknown): null {
  if (error instanceof ServiceError && error.kind === "not_found") return null;
  throw error;
}

interface NewUpload {
  readonly siteId: string;
  readonly chosen: readonly ChosenFile[];
  /** The host of logs that have none; empty for the site. */
  readonly hostname: string;
  readonly logFormat: string;
}

/** Goes on with the import that waits for just these files, or begins one. Opens its dialog. @throws UnsuitableFiles */
export async function bring({ siteId, chosen, hostname, logFormat }: NewUpload): Promise<void> {
  checkChosen(chosen);
  for (const { import_id: id } of known.peek()?.filter(({ site_id, state }) => site_id === siteId && state === "receiving") ?? []) {
    if (isSending(id)) continue;
    const files = filesMissing(await getImport(id), chosen);
    if (files) return start(id, files);
  }
  const { import_id: id } = await beginImport({
    site_id: siteId,
    hostname: hostname.trim() || null,
    log_format: logFormat.trim() || null,
    files: chosen.map(({ name, file }) => ({ name, bytes: file.size })),
  });
  await start(
    id,
    chosen.map(({ file }) => file),
  );
}

/** @returns false if the files are others than the import waits for */
export async function goOn(details: Import, chosen: readonly ChosenFile[]): Promise<boolean> {
  const files = filesMissing(details, chosen);
  if (files === null) return false;
  await start(details.import_id, files);
  return true;
}

async function start(id: number, files: readonly (File | undefined)[]): Promise<void> {
  void upload(id, files).then(loadImports, () => {});
  openPanel(`import:${id}`);
  await loadImports();
}

/** Reports change with what is shown. */
export async function change(id: number, what: Parameters<typeof changeImport>[1]): Promise<Import> {
  const changed = await changeImport(id, what);
  await loadImports();
  if (what !== "confirm") reloadAll();
  return changed;
}

export async function remove({ import_id: id, state }: Pick<ImportSummary, "import_id" | "state">): Promise<void> {
  await deleteImport(id);
  await loadImports();
  if (state === "shown") reloadAll();
}
