/** How the command `import` brings files into the data folder: it reads them where they are, shows what they have, asks, and reconciles. */
import { open, readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { IMPORT_FILES_MAX } from "../../../src/runtime/base/config/limits.ts";
import { parseSiteId } from "../../../src/runtime/base/config/names.ts";
import { type RandomAccess, type SourceFile, UnreadableFile } from "../../../src/runtime/imports/format.ts";
import type { ImportRecord } from "../../../src/runtime/imports/import-record.ts";
import type { ImportDetails, Imports } from "../../../src/runtime/imports/imports.ts";
import type { ManifestJson } from "../../../src/runtime/imports/manifest-json.ts";
import { type Reconciliation, reconciliationOf } from "../../../src/runtime/imports/reconciliation.ts";
import { sourceFile } from "../../../src/runtime/imports/source-files.ts";
import { dayCountOf } from "../../../src/storage/day-sums.ts";
import { type CommandOutcome, counted, formatCount, listed } from "../command-output.ts";

// Files

/** Opened for each read, because there may be more files than may be open. */
const accessTo = (path: string, size: number): RandomAccess => ({
  size,
  async read(from, to) {
    const bytes = new Uint8Array(to - from);
    const file = await open(path, "r");
    try {
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
        if (bytesRead === 0) throw new UnreadableFile(`${path} became shorter while it was read.`);
        filled += bytesRead;
      }
    } finally {
      await file.close();
    }
    return bytes;
  },
});

/** A file, or those of a folder in the order of their names. `name`: its path in the import. */
async function filesAt(path: string, name: string): Promise<SourceFile[]> {
  const status = await stat(path);
  if (status.isFile()) return [sourceFile(name, accessTo(path, status.size))];
  if (!status.isDirectory()) return [];
  const files: SourceFile[] = [];
  for (const entry of (await readdir(path)).sort()) {
    files.push(...(await filesAt(join(path, entry), `${name}/${entry}`)));
    if (files.length > IMPORT_FILES_MAX) throw new Error(`${path} has more than ${IMPORT_FILES_MAX} files`);
  }
  return files;
}

// What is printed

function manifestLines(manifest: ManifestJson): string[] {
  const { products, refused, ignored, ignored_files: ignoredFiles, bad_rows: bad } = manifest;
  const sum = (measure: "pageviews" | "events") => manifest.totals.reduce((all, month) => all + month[measure], 0);
  return [
    ...products.flatMap(({ product, generation, rows, files, time_zone: zone, lost }) => [
      `${product}${generation === null ? "" : `, ${generation}`}: ${counted(files, "file")}${rows === "days" ? " with sums of days" : ""}`,
      `  times are of ${zone.name}: ${zone.reason}`,
      ...lost.map((sentence) => `  ${sentence}`),
    ]),
    ...refused.map(({ product, paths, advice }) => `${product}: ${paths.join(", ")}: ${advice}`),
    ...(ignoredFiles > 0 ? [`${counted(ignoredFiles, "file")} not read:`] : []),
    ...listed(
      ignored.map(({ path, reason }) => `${path}: ${reason}`),
      ignoredFiles,
    ),
    ...(manifest.start_date === null
      ? []
      : [
          `${counted(sum("pageviews"), "page view")} and ${counted(sum("events"), "other event")} on ${counted(manifest.days, "day")} from ${manifest.start_date} to ${manifest.end_date}`,
        ]),
    ...(manifest.cut_off ? [manifest.cut_off.reason] : []),
    ...manifest.overlaps.map(
      ({ import_id: id, days, start_date: start, end_date: end, by }) =>
        `Import #${id} has ${counted(days, "day")} of them from ${start} to ${end}: ${by === "events" ? "what both have counts once" : "these days are left out"}`,
    ),
    ...manifest.left_out.map(({ rows, description }) => `${counted(rows, "row")} left out: ${description}`),
    ...bad.reasons.map(({ rows, description }) => `${counted(rows, "row")} that cannot be read: ${description}`),
    ...bad.first.map(({ path, line, value }) => `  - ${path}:${line}: ${value}`),
    ...manifest.remarks,
  ];
}

function reconciliationLines(rows: Reconciliation): string[] {
  const names = {
    ...{ pageviews: "page views", events: "other events", visitors: "visitors by day" },
    ...{ visits: "visits", bounces: "bounces", duration_secs: "seconds of visits" },
  };
  return rows.map(({ month, measure, source, imported, reasons }) => {
    const why = reasons.map(({ count, description }) => `${formatCount(count)}: ${description}`).join(" ");
    return `  ${month}: ${formatCount(imported)} of ${formatCount(source)} ${names[measure]}${why === "" ? "" : `; left out ${why}`}`;
  });
}

// The flow

const REWRITE_MS = 200;

/** Works until the import is in another state than this one. Writes the number of rows to a terminal. */
async function workWhile(imports: Imports, { number, state }: Pick<ImportRecord, "number" | "state">): Promise<ImportDetails> {
  const terminal = process.stderr.isTTY ? process.stderr : null;
  const write = () =>
    void imports.details(number).then(
      ({ rows }) => terminal?.write(`\r\x1b[K${state}: ${formatCount(rows)} rows`),
      () => {},
    );
  const timer = terminal ? setInterval(write, REWRITE_MS) : undefined;
  try {
    for (;;) {
      const details = await imports.details(number);
      if (details.record.state !== state) return details;
      if (!(await imports.job.run())) throw new Error("the data folder cannot be read or written; the log says why");
    }
  } finally {
    clearInterval(timer);
    terminal?.write("\r\x1b[K");
  }
}

/** False without a terminal. */
export async function askOnTerminal(siteId: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`Import this into ${siteId}? [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

interface Asked {
  readonly site: string;
  /** Files and folders. */
  readonly paths: readonly string[];
  /** Prints the manifest. */
  readonly print: (text: string) => void;
  /** Asks whether to go on. */
  readonly confirms: (siteId: string) => Promise<boolean>;
}

/** Leaves nothing unless it succeeds. */
export async function importInto(imports: Imports, { site, paths, print, confirms }: Asked): Promise<CommandOutcome> {
  const siteId = parseSiteId(site, "site");
  const { signal } = new AbortController();
  const files: SourceFile[] = [];
  for (const path of paths) files.push(...(await filesAt(path, basename(resolve(path)))));
  const begun = await imports.beginWith({ siteId, hostname: null, logFormat: null }, files, signal);
  const { number } = begun;
  const read = await workWhile(imports, begun);
  if (read.manifest) print(`${manifestLines(read.manifest).join("\n")}\n`);
  const abandon = async (text: string): Promise<CommandOutcome> => {
    await imports.delete(number, signal);
    return { succeeded: false, text: `${text}\n` };
  };
  if (read.record.failure !== null) return abandon(`Nothing is imported: ${read.record.failure}`);
  if (!(await confirms(siteId))) return abandon("Nothing is imported, because nobody confirmed it (--yes).");
  await imports.confirm(number, signal);
  const { record, manifest } = await workWhile(imports, { number, state: "running" });
  if (record.failure !== null || manifest === null) return abandon(`Nothing is imported: ${record.failure}`);
  const days = dayCountOf(record.days);
  const sums = days > 0 ? ` and sums of ${counted(days, "day")}` : "";
  const lines = [`Import #${number} is shown: ${counted(record.events, "event")}${sums} of ${siteId}`];
  return { succeeded: true, text: `${[...lines, ...reconciliationLines(reconciliationOf(manifest, record))].join("\n")}\n` };
}
