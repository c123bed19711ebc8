/** Which sites have a new date since they were last looked at, each by its own calendar. */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import type { CalendarOf } from "./sites.ts";

/** In every time zone, days begin at a whole quarter of an hour, so that between two of them there is nothing to look for. */
export const QUARTER_MS = 900_000;

export interface NewDatesOptions {
  readonly calendarOf: CalendarOf;
  readonly now: () => EpochMs;
}

export class NewDates {
  readonly #options: NewDatesOptions;
  #takenMs: EpochMs | null = null;

  constructor(options: NewDatesOptions) {
    this.#options = options;
  }

  /** Whether some site may have a new date. Always before the first look. */
  get areDue(): boolean {
    const quarterOf = (ms: EpochMs): number => Math.floor(ms / QUARTER_MS);
    return this.#takenMs === null || quarterOf(this.#takenMs) !== quarterOf(this.#options.now());
  }

  /** Those of the sites whose date has changed since the last call; all at the first one. */
  take(siteIds: Iterable<SiteId>): SiteId[] {
    const { calendarOf, now } = this.#options;
    const [before, nowMs] = [this.#takenMs, now()];
    this.#takenMs = nowMs;
    return [...siteIds].filter((siteId) => {
      const calendar = calendarOf(siteId);
      return before === null || calendar.dateOf(before) !== calendar.dateOf(nowMs);
    });
  }
}
