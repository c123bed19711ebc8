/** The query parameters of an endpoint, each given once or not at all. */
import { invalidInput } from "../runtime/errors.ts";
import { QUERY_PARAMETERS_MAX } from "../runtime/config/limits.ts";
import { isSiteId } from "../runtime/config/site-id.ts";
import type { SiteId, EpochMs } from "../storage/event.ts";
import { parseDateRange, type DateRange } from "../runtime/query/date-range.ts";
import { parseSegmentFilter, type Condition } from "../runtime/query/filters.ts";
import type { Scope } from "../runtime/query/scope.ts";

/** All parameters of a request, known or not; 400 for more than any endpoint could mean. Each look-up goes through all of them. */
export function parametersOf(url: URL): URLSearchParams {
  const count = url.search.split("&", QUERY_PARAMETERS_MAX + 1).length;
  if (count > QUERY_PARAMETERS_MAX) throw invalidInput(`A request may have at most ${QUERY_PARAMETERS_MAX} query parameters`);
  return url.searchParams;
}

export class Query {
  readonly #params: URLSearchParams;

  constructor(url: URL) {
    this.#params = parametersOf(url);
  }

  /** The value, or null when the parameter is not there; 400 when it is there more than once. */
  text(name: string): string | null {
    const values = this.#params.getAll(name);
    if (values.length > 1) throw invalidInput(`"${name}" must be given at most once`);
    return values[0] ?? null;
  }

  /** One of the words, the first when none is given; 400 for any other. */
  choice<const Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word {
    const text = this.text(name);
    if (text === null) return words[0];
    const word = words.find((known) => known === text);
    if (word === undefined) throw invalidInput(`"${name}" must be one of ${words.join(", ")}`);
    return word;
  }

  /** A whole number within the bounds; 400 outside them, never clamped. */
  integer(name: string, { min, max, otherwise }: { min: number; max: number; otherwise: number }): number {
    const text = this.text(name);
    if (text === null) return otherwise;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw invalidInput(`"${name}" must be a whole number from ${min} to ${max}`);
    return value;
  }

  siteId(): SiteId {
    const text = this.text("site_id");
    if (text === null) throw invalidInput('"site_id" is required');
    if (!isSiteId(text)) {
      throw invalidInput('"site_id" must be 1 to 256 characters, only ASCII letters, digits, ".", "-", "_" and ":"');
    }
    return text;
  }

  /** The two dates, neither of which is filled in: 400 without one. */
  dates(nowMs: EpochMs): DateRange {
    const [startDate, endDate] = [this.text("start_date"), this.text("end_date")];
    if (startDate === null) throw invalidInput('"start_date" is required');
    if (endDate === null) throw invalidInput('"end_date" is required');
    return parseDateRange({ period: null, startDate, endDate }, nowMs);
  }

  conditions(): readonly Condition[] {
    return parseSegmentFilter(this.text("filters"));
  }

  /** Site, range and filters: what every statistics endpoint takes (contract 4.2). */
  scope(nowMs: EpochMs): Scope {
    const siteId = this.siteId();
    const range = parseDateRange(
      { period: this.text("period"), startDate: this.text("start_date"), endDate: this.text("end_date") },
      nowMs,
    );
    return { siteId, range, conditions: this.conditions() };
  }
}
