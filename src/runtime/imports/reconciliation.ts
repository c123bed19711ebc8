/** What the source has and what was imported of it, by month and measure, with the reasons of each difference. */
import { closed, count, type Described, list, text, word } from "../base/json-schema.ts";
import { type DayCounts, LEFT_OUT_REASONS, type LeftOutReason } from "./rows.ts";
import type { ImportRecord, MonthOutcome } from "./import-record.ts";
import type { ManifestJson } from "./manifest-json.ts";

/** Each with the name that it has in a record. */
const COUNTS = {
  pageviews: "pageviews",
  events: "events",
  visitors: "visitors",
  visits: "visits",
  bounces: "bounces",
  duration_secs: "durationSeconds",
} as const satisfies Record<string, keyof DayCounts>;

const MEASURES = Object.keys(COUNTS) as readonly (keyof typeof COUNTS)[];

export const RECONCILIATION = list(
  "By month and measure, without those that the source has none of.",
  closed({
    month: text("`YYYY-MM`.", { pattern: "^\\d{4}-\\d{2}$" }),
    measure: word("Page views, or other events. Of sums of days also visitors of each day, visits, bounces and their duration.", MEASURES),
    source: count("What the source has."),
    imported: count("What was imported of it."),
    difference: count("What is missing. The reasons add up to it."),
    reasons: list("Why.", closed({ reason: text("A word."), description: text("A sentence."), count: count("How many.") })),
  }),
);

export type Reconciliation = Described<typeof RECONCILIATION>;

const NOTHING: MonthOutcome = { imported: { pageviews: 0, events: 0 }, leftOut: {} };

export function reconciliationOf(manifest: Pick<ManifestJson, "totals">, { outcome }: Pick<ImportRecord, "outcome">): Reconciliation {
  return manifest.totals.flatMap(({ month, ...ofSource }) => {
    const { imported, leftOut } = outcome[month] ?? NOTHING;
    return MEASURES.flatMap((measure) => {
      const [source = 0, counted = 0] = [ofSource[measure], imported[COUNTS[measure]]];
      if (source === 0) return [];
      const reasons = (Object.entries(leftOut) as [LeftOutReason, DayCounts][]).flatMap(([reason, counts]) => {
        const missing = counts[COUNTS[measure]] ?? 0;
        return missing === 0 ? [] : { reason, description: LEFT_OUT_REASONS[reason], count: missing };
      });
      return { month, measure, source, imported: counted, difference: source - counted, reasons };
    });
  });
}
