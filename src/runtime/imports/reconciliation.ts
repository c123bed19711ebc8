/** What the source has and what was imported of it, by month and measure, with the reasons of each difference. */
import { closed, count, type Described, list, text, word } from "../base/json-schema.ts";
import { LEFT_OUT_REASONS, type LeftOutReason } from "./format.ts";
import type { HitCounts, ImportRecord, MonthOutcome } from "./import-record.ts";
import type { ManifestJson } from "./manifest-json.ts";

const MEASURES = ["pageviews", "events"] as const satisfies readonly (keyof HitCounts)[];

export const RECONCILIATION = list(
  "By month and measure, without those that the source has none of.",
  closed({
    month: text("`YYYY-MM`.", { pattern: "^\\d{4}-\\d{2}$" }),
    measure: word("Page views, or other events.", MEASURES),
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
    return MEASURES.filter((measure) => ofSource[measure] > 0).map((measure) => ({
      month,
      measure,
      source: ofSource[measure],
      imported: imported[measure],
      difference: ofSource[measure] - imported[measure],
      reasons: (Object.entries(leftOut) as [LeftOutReason, HitCounts][])
        .filter(([, counts]) => counts[measure] > 0)
        .map(([reason, counts]) => ({ reason, description: LEFT_OUT_REASONS[reason], count: counts[measure] })),
    }));
  });
}
