/** What cards say in place of a report that takes its time. */
import type { Reading } from "../api/progress.ts";
import { fill, pluralForm, words } from "../words/words.ts";
import { formatCount } from "./locale.ts";

const yearOf = (date: string): string => date.slice(0, 4);

/** `Reading 2025…`, of the range if it is not known what is being read. */
export function readingText({ reading }: Reading, range: { readonly start: string; readonly end: string }): string {
  if (reading !== null) return fill(words.format.reading, { years: yearOf(reading) });
  const [first, last] = [yearOf(range.start), yearOf(range.end)];
  return fill(words.format.reading, { years: first === last ? first : `${first}–${last}` });
}

/** `120 of 365 days`; empty if it is not known. */
export const daysReadText = ({ days, days_read: daysRead }: Reading): string =>
  days === 0 ? "" : fill(pluralForm(words.format.daysRead, days), { read: formatCount(daysRead), count: formatCount(days) });
