/** Instants that clients write. */
import { type EpochMs, isLocalDate } from "../../storage/event.ts";

const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time in ISO 8601 with an offset, of a date that exists: `Date.parse` takes 30 February for 2 March. NaN for any other text. */
export function instantOf(text: string): EpochMs {
  const [, date = ""] = INSTANT.exec(text) ?? [];
  return isLocalDate(date) ? Date.parse(text) : Number.NaN;
}
