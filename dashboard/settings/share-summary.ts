/** What a share link shows, in words. */
import { filterInWords } from "../format/filter-words.ts";
import { formatRange, formatTimestamp } from "../format/locale.ts";
import { PERIOD_LABELS } from "../page/period-picker.tsx";
import { parseFilters } from "../state/filters.ts";
import { timeZone } from "../state/known-sites.ts";
import { sharedPeriod } from "../state/shared-range.ts";
import type { Share } from "../api/shares.ts";

export function filtersText(text: string | null): string {
  const filters = parseFilters(text);
  return filters.length === 0 ? "All visitors" : filters.map((filter) => filterInWords(filter, filters)).join(", ");
}

type SharedView = Pick<Share, "filters" | "period" | "start_date" | "end_date" | "realtime">;

export function datesText(view: SharedView): string {
  const { start_date, end_date } = view;
  if (start_date !== null && end_date !== null) return formatRange(start_date, end_date);
  const period = sharedPeriod(view);
  return period === null ? "Any dates" : PERIOD_LABELS[period].label;
}

/** E.g. `Country is Germany · Last 30 days · No realtime`. */
export const sharedText = (share: SharedView): string =>
  [filtersText(share.filters), datesText(share), ...(share.realtime ? [] : ["No realtime"])].join(" · ");

/** By the clock of the site; `otherwise` stands for null. */
export const timeOr = (iso: string | null, otherwise: string): string => (iso === null ? otherwise : formatTimestamp(iso, timeZone.value));
