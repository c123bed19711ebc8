/** A manifest as it is stored and answered: its schema, and how it is made of what the files' formats and rows say. */
import { IMPORT_BAD_ROWS_SHOWN_MAX, IMPORT_FILES_SHOWN_MAX, IMPORT_REMARKS_MAX } from "../base/config/limits.ts";
import { closed, count, type Described, list, nullable, orNull, text, word } from "../base/json-schema.ts";
import {
  BAD_ROW_REASONS,
  type BadRowReason,
  DAY_TABLES,
  type DayCounts,
  type DayTable,
  LEFT_OUT_REASONS,
  type LeftOutReason,
} from "./rows.ts";
import type { Recognition } from "./formats/format.ts";
import type { RecognizedFiles } from "./formats/formats.ts";
import { addedCounts, type CutOff, type Manifest, type Month, type TotalsTable } from "./manifest.ts";

const DATE = text("A date of the site.", { format: "date" });

const PATHS = list(`The first ${IMPORT_FILES_SHOWN_MAX} of them.`, text("With the names of the archives it is in."), {
  maxItems: IMPORT_FILES_SHOWN_MAX,
});

const sentences = (description: string) => list(description, text("A sentence."));

const PRODUCT = closed({
  product: text("A name for people."),
  generation: orNull(text("Which of its formats; null if there is one.")),
  rows: word("Hits are single page views and events, days are sums of days.", ["hits", "days"]),
  files: count("Files that it consists of."),
  paths: PATHS,
  time_zone: closed({ name: text("Of its dates and times."), reason: text("How it is known, a sentence.") }),
  lost: sentences("What it has not, or what is left out on purpose."),
});

const REASON = text("A word.");

const DAY_TABLE_NAMES = Object.keys(DAY_TABLES) as readonly DayTable[];

/** Sums of days, by their tables. */
const OF_VISITS = {
  visitors: count("Visitors of each day, added up."),
  visits: count("Visits."),
  bounces: count("Visits with one page view."),
  duration_secs: count("The duration of all visits."),
};

const MONTH_TOTALS = closed(
  {
    month: text("`YYYY-MM`.", { pattern: "^\\d{4}-\\d{2}$" }),
    pageviews: count("Page views."),
    events: count("Other events."),
    ...OF_VISITS,
  },
  { optional: ["visitors", "visits", "bounces", "duration_secs"] },
);

const TABLE = closed(
  {
    table: word("`totals` has each visit once. Others count visitors once for each of their values.", DAY_TABLE_NAMES),
    ...OF_VISITS,
    pageviews: count("Page views."),
    events: count("Other events."),
  },
  { optional: ["visitors", "visits", "bounces", "duration_secs", "pageviews", "events"] },
);

export const MANIFEST = closed({
  products: list("What the files are of.", PRODUCT),
  refused: list(
    "Files of known products that cannot be imported.",
    closed({ product: text("A name for people."), paths: PATHS, advice: text("Why, and how to get the right file.") }),
  ),
  ignored_files: count("Files that are not read."),
  ignored: list(
    `The first ${IMPORT_FILES_SHOWN_MAX} of them.`,
    closed({ path: text("With the names of the archives it is in."), reason: text("A sentence.") }),
    { maxItems: IMPORT_FILES_SHOWN_MAX },
  ),
  rows: count("Rows of all kinds."),
  days: count("Dates with rows that can be imported."),
  start_date: orNull(text("The first of them; null without any.", { format: "date" })),
  end_date: orNull(text("The last of them; null without any.", { format: "date" })),
  totals: list("What the source has, by month.", MONTH_TOTALS),
  tables: list("What each table with sums of days has in all; numbers that it lacks are absent.", TABLE),
  cut_off: nullable(
    closed({
      first_own_date: DATE,
      ends_at: text("Hits from then on are left out.", { format: "date-time" }),
      reason: text("A sentence."),
    }),
  ),
  own_days: count("Dates with rows from the first own date on."),
  overlaps: list(
    "Dates that other imports of the site have, too.",
    closed({
      import_id: count("The other import."),
      start_date: DATE,
      end_date: DATE,
      days: count("How many."),
      by: word("`events`: what both have is left out. `days`: these days are left out.", ["events", "days"]),
    }),
  ),
  bad_rows: closed({
    rows: count("Rows that cannot be read."),
    reasons: list("Why.", closed({ reason: REASON, description: text("A sentence."), rows: count("How many.") })),
    first: list(
      `The first ${IMPORT_BAD_ROWS_SHOWN_MAX}.`,
      closed({
        path: text("The file."),
        line: count("Counted from 1; in a binary file the row."),
        reason: REASON,
        column: orNull(text("null if none alone is to blame.")),
        value: text("The value or the line, cut."),
      }),
      { maxItems: IMPORT_BAD_ROWS_SHOWN_MAX },
    ),
  }),
  left_out: list("Rows that are no hits.", closed({ reason: REASON, description: text("A sentence."), rows: count("How many.") })),
  crawls: count("Requests of AI crawlers, which are no hits and count apart."),
  remarks: list("What files say about all of their rows.", text("A sentence."), { maxItems: IMPORT_REMARKS_MAX }),
});

export type ManifestJson = Described<typeof MANIFEST>;

const firstOf = <T>(items: readonly T[]): T[] => items.slice(0, IMPORT_FILES_SHOWN_MAX);

const productOf = ({ product, generation, rows, files, timeZone, lost }: Recognition) => ({
  product,
  generation,
  rows,
  files: files.length,
  paths: firstOf(files.map(({ path }) => path)),
  time_zone: { name: timeZone.name, reason: timeZone.reason },
  lost: [...lost],
});

const cutOffJson = ({ firstOwnDay, endMs, reason }: CutOff) => ({
  first_own_date: firstOwnDay,
  ends_at: new Date(endMs).toISOString(),
  reason,
});

/** The manifest of a site whose own events have begun since it was made. */
export const withCutOff = (manifest: ManifestJson, cutOff: CutOff): ManifestJson => ({ ...manifest, cut_off: cutOffJson(cutOff) });

/** Most frequent first. */
const counted = <Reason extends BadRowReason | LeftOutReason>(
  counts: ReadonlyMap<Reason, number>,
  descriptions: Readonly<Record<Reason, string>>,
) => [...counts].map(([reason, rows]) => ({ reason, description: descriptions[reason], rows })).sort((a, b) => b.rows - a.rows);

const countsJson = ({ durationSeconds, ...counts }: DayCounts) => ({
  ...counts,
  ...(durationSeconds !== undefined && { duration_secs: durationSeconds }),
});

/** Hits, and each visit and event of sums of days once. */
function monthsOf({ totals }: Manifest): readonly (readonly [Month, DayCounts])[] {
  const months = new Map<Month, DayCounts>();
  const add = (table: TotalsTable, countsOf: (counts: DayCounts) => DayCounts) => {
    for (const [month, counts] of totals.get(table) ?? []) months.set(month, addedCounts(months.get(month), countsOf(counts)));
  };
  add("hits", (counts) => counts);
  add("totals", ({ events: _events, ...ofVisits }) => ofVisits);
  add("events", ({ events = 0 }) => ({ events }));
  return [...months].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `byEvents`: the other imports whose events can be told from those of this one. */
export function manifestJson(recognized: RecognizedFiles, manifest: Manifest, byEvents: ReadonlySet<number>): ManifestJson {
  const { recognitions, refusals, skipped } = recognized;
  const ignored = [...recognitions.flatMap((recognition) => recognition.ignored), ...skipped];
  const { rows, days, range, cutOff, ownDays, overlaps, bad, leftOut, crawls, remarks } = manifest;
  return {
    products: recognitions.map(productOf),
    refused: refusals.map(({ product, paths, advice }) => ({ product, paths: firstOf(paths), advice })),
    ignored_files: ignored.length,
    ignored: firstOf(ignored).map(({ path, reason }) => ({ path, reason })),
    rows,
    days,
    start_date: range?.firstDay ?? null,
    end_date: range?.lastDay ?? null,
    totals: monthsOf(manifest).map(([month, counts]) => ({ month, pageviews: 0, events: 0, ...countsJson(counts) })),
    tables: DAY_TABLE_NAMES.flatMap((table) => {
      const months = manifest.totals.get(table);
      return months ? [{ table, ...countsJson([...months.values()].reduce(addedCounts)) }] : [];
    }),
    cut_off: cutOff && cutOffJson(cutOff),
    own_days: ownDays,
    overlaps: overlaps.map((overlap) => ({
      import_id: overlap.import,
      start_date: overlap.firstDay,
      end_date: overlap.lastDay,
      days: overlap.days,
      by: byEvents.has(overlap.import) ? ("events" as const) : ("days" as const),
    })),
    bad_rows: {
      rows: [...bad.counts.values()].reduce((sum, each) => sum + each, 0),
      reasons: counted(bad.counts, BAD_ROW_REASONS),
      first: bad.first.map(({ path, line, reason, column, value }) => ({ path, line, reason, column, value })),
    },
    left_out: counted(leftOut, LEFT_OUT_REASONS),
    crawls,
    remarks: [...remarks],
  };
}
