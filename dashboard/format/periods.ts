/** Names of periods, comparisons and compared windows, and the keys that choose a period. */
import { dayAfter, PERIODS, type Period } from "../../src/shared/periods.ts";
import type { ComparedRange, Comparison, Range } from "../state/range.ts";
import { fill, words } from "../words/words.ts";
import { formatHour, formatShortRange, formatWeekday } from "./locale.ts";

interface PeriodLabel {
  readonly label: string;
  /** The keyboard shortcut. */
  readonly key?: string;
}

const { periods, comparisons } = words.format;

export const PERIOD_LABELS: Readonly<Record<Period, PeriodLabel>> = {
  day: { label: periods.day, key: "D" },
  "7d": { label: periods["7d"], key: "W" },
  "30d": { label: periods["30d"], key: "M" },
  "90d": { label: periods["90d"], key: "Q" },
  "6mo": { label: periods["6mo"] },
  "12mo": { label: periods["12mo"], key: "Y" },
  month: { label: periods.month },
  year: { label: periods.year },
  all: { label: periods.all, key: "A" },
};

export const PERIOD_KEYS = PERIODS.flatMap((named) => {
  const { key } = PERIOD_LABELS[named];
  return key === undefined ? [] : [{ period: named, key }];
});

export const COMPARISON_LABELS: Readonly<Record<Comparison, string>> = comparisons;

/** The comparison's name. A previous period with matched weekdays is not the one just before. */
export function comparisonName(choice: Comparison, compared: ComparedRange | null, { start }: Range): string {
  if (choice !== "previous_period" || compared === null || dayAfter(compared.end, 1) === start) return COMPARISON_LABELS[choice];
  if (compared.days > 1) return words.compare.sameWeekdays;
  return fill(words.compare.lastWeekday, { weekday: formatWeekday(compared.start, "long") });
}

/** `Thu, 19 Nov, same time`, `23 Sep – 22 Oct` */
function comparedText({ start, end, today: until }: ComparedRange, today: string): string {
  const dates = formatShortRange(start, end, today);
  return until !== null && start === end ? fill(words.compare.sameTime, { date: dates }) : dates;
}

/** `vs. Thu, 19 Nov, same time` */
export const againstText = (compared: ComparedRange, today: string): string =>
  fill(words.compare.against, { dates: comparedText(compared, today) });

interface ComparedDates {
  readonly start: string;
  readonly end: string;
  /** The site's time at which the last date ends; null for a whole one. */
  readonly until: string | null;
}

/** `70 on Thu, 19 Nov, by 11:47`, `4,909 in 23 Sep – 22 Oct` */
export function onComparedDates(value: string, { start, end, until }: ComparedDates, today: string): string {
  const dates = formatShortRange(start, end, today);
  const time = until === null ? "" : formatHour(until);
  const { onDay, onDayUntil, inDates, inDatesUntil } = words.compare;
  return fill(start === end ? (until === null ? onDay : onDayUntil) : until === null ? inDates : inDatesUntil, {
    value,
    date: dates,
    dates,
    time,
  });
}
