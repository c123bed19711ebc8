/** How the command `import` brings files in: it gives them, shows what they have, asks, and reconciles. */
import { createInterface } from "node:readline/promises";
import { parseSiteId } from "../../../src/runtime/base/config/names.ts";
import { printable } from "../../../src/runtime/imports/files/text.ts";
import type { ManifestJson } from "../../../src/runtime/imports/manifest-json.ts";
import type { Reconciliation } from "../../../src/runtime/imports/reconciliation.ts";
import { type CommandOutcome, counted, formatCount, listed } from "../command-output.ts";
import type { AskedImport, ImportDoor, ImportNow } from "./import-doors.ts";
import type { LocalFile } from "./import-files.ts";

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
    ...(manifest.crawls > 0 ? [`${counted(manifest.crawls, "request")} of AI crawlers, which count apart`] : []),
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

const CLEAR_LINE = "\r\x1b[K";

/** Writes a line that is written again, on a terminal only. */
function progressLine(): { write(text: string): void; end(): void } {
  const terminal = process.stderr.isTTY ? process.stderr : null;
  return {
    write: (text) => void terminal?.write(`${CLEAR_LINE}${text}`),
    end: () => void terminal?.write(CLEAR_LINE),
  };
}

/** Resolves once the import is in another state than this one. */
async function whenNot(door: ImportDoor, number: number, state: ImportNow["state"]): Promise<ImportNow> {
  const line = progressLine();
  const write = () =>
    void door.now(number).then(
      ({ rows }) => line.write(`${state}: ${formatCount(rows)} rows`),
      () => {},
    );
  const timer = process.stderr.isTTY ? setInterval(write, REWRITE_MS) : undefined;
  try {
    for (;;) {
      const now = await door.now(number);
      if (now.state !== state) return now;
      await door.goOn();
    }
  } finally {
    clearInterval(timer);
    line.end();
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

interface Asked extends Omit<AskedImport, "siteId"> {
  readonly site: string;
  readonly files: readonly LocalFile[];
  /** Prints the manifest. */
  readonly print: (text: string) => void;
  /** Asks whether to go on. */
  readonly confirms: (siteId: string) => Promise<boolean>;
}

const MB = 1_000_000;

/** Leaves nothing unless it succeeds. */
export async function importInto(door: ImportDoor, { site, files, print, confirms, ...options }: Asked): Promise<CommandOutcome> {
  const siteId = parseSiteId(site, "site");
  const line = progressLine();
  const onSent = (bytes: number) => line.write(`sent: ${formatCount(Math.round(bytes / MB))} MB`);
  const number = await door.begin({ siteId, ...options }, files, onSent).finally(line.end);
  const abandon = async (text: string): Promise<CommandOutcome> => {
    await door.delete(number);
    return { succeeded: false, text: `${text}\n` };
  };
  const read = await whenNot(door, number, "reading");
  if (read.manifest) print(`${manifestLines(read.manifest).map(printable).join("\n")}\n`);
  if (read.failure !== null) return abandon(`Nothing is imported: ${printable(read.failure)}`);
  // An earlier run may have confirmed it.
  if (read.state === "ready") {
    if (!(await confirms(siteId))) return abandon("Nothing is imported, because nobody confirmed it (--yes).");
    await door.confirm(number);
  }
  const { events, days, failure, reconciliation } = await whenNot(door, number, "running");
  if (failure !== null || reconciliation === null) return abandon(`Nothing is imported: ${failure}`);
  const what = [...(events > 0 || days === 0 ? [counted(events, "event")] : []), ...(days > 0 ? [`sums of ${counted(days, "day")}`] : [])];
  const lines = [`Import #${number} is shown: ${what.join(" and ")} of ${siteId}`, ...reconciliationLines(reconciliation)];
  return { succeeded: true, text: `${lines.join("\n")}\n` };
}
