/** What an answer says of days that an import has as sums: whether it counts them (docs/http-api.md, "Coverage"). */
import type { LocalDate } from "../../storage/event.ts";
import { COVERAGE_MAX } from "../base/config/report-limits.ts";
import { boolean, closed, count, type Described, list, text, word } from "../base/json-schema.ts";

/** What views alone do not say: who saw pages, and in which visits, with their bounces and durations. */
const LACKS = ["visitors", "visits"] as const;

export type Lack = (typeof LACKS)[number];

export const COVERAGE = closed({
  partial: list(
    `Oldest first. At most ${COVERAGE_MAX}.`,
    closed(
      {
        import: count("The number of the import.", { minimum: 1 }),
        start_date: text("The first such day.", { format: "date" }),
        end_date: text("The last such day.", { format: "date" }),
        answered: boolean("The answer counts these days. False: it leaves them out, because sums of days cannot answer it."),
        lacks: list(
          "Numbers of the answer that leave these days out, because the import has page views and events alone. Absent if there is none.",
          word("Visitors; or visits, with their bounces and durations.", LACKS),
          { minItems: 1, maxItems: LACKS.length },
        ),
      },
      { optional: ["lacks"] },
    ),
    { minItems: 1, maxItems: COVERAGE_MAX },
  ),
});

type Coverage = Described<typeof COVERAGE>;

/** Days of one import, from the first to the last. */
export interface CoveredDays {
  readonly import: number;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly isAnswered: boolean;
  /** What the source of answered days has not counted. */
  readonly lacks: readonly Lack[];
}

/** Equal days are one entry, which is answered if all are, and lacks what one lacks: a report may read them several times. */
export function coverageOf(days: readonly CoveredDays[]): Coverage | null {
  const byDays = new Map<string, CoveredDays>();
  for (const each of days) {
    const key = `${each.firstDay} ${each.lastDay} ${each.import}`;
    const known = byDays.get(key);
    const isAnswered = each.isAnswered && (known?.isAnswered ?? true);
    byDays.set(key, { ...each, isAnswered, lacks: [...each.lacks, ...(known?.lacks ?? [])] });
  }
  const partial = [...byDays]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, COVERAGE_MAX)
    .map(([, { import: number, firstDay, lastDay, isAnswered, lacks: ofReads }]) => {
      const lacks = isAnswered ? LACKS.filter((each) => ofReads.includes(each)) : [];
      const entry = { import: number, start_date: firstDay as string, end_date: lastDay as string, answered: isAnswered };
      return { ...entry, ...(lacks.length > 0 && { lacks }) };
    });
  return partial.length === 0 ? null : { partial };
}

/** JSON of a report, which has no line break, and JSON of its coverage in another line if there is some. */
export function withCoverage(json: string, days: readonly CoveredDays[]): string {
  const coverage = coverageOf(days);
  return coverage === null ? json : `${json}\n${JSON.stringify(coverage)}`;
}

interface Answer {
  readonly json: string;
  /** JSON; null if the range has no days of which only sums are known. */
  readonly coverage: string | null;
}

/** Undoes `withCoverage`. The coverage is a field of an object. A list has no place for it. */
export function answerOf(written: string): Answer {
  const [json = "", coverage = null] = written.split("\n", 2);
  if (coverage === null || !json.startsWith("{")) return { json, coverage };
  return { json: `${json.slice(0, -1)}${json === "{}" ? "" : ","}"coverage":${coverage}}`, coverage };
}
