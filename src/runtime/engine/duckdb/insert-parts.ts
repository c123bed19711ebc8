/** What goes into a block's table in one insert: an insert takes some milliseconds, however few rows it brings. */
import { DAY_MS } from "../../../storage/event.ts";
import type { DecodedEvents } from "../../../storage/parquet-events.ts";

/** Beyond so many rows an insert takes longer than others should wait for their turn. */
const INSERT_ROWS_MAX = 50_000;

/** Events of one day, in order of sequence number. */
export interface DayPart {
  readonly day: number;
  readonly events: DecodedEvents;
}

export const dayPartOf = (events: DecodedEvents): DayPart => ({ day: Math.floor(Number(events.timestampsMs[0] ?? 0n) / DAY_MS), events });

/** Parts that wait for their insert. A day's parts are next to each other, so that its sessions are numbered in one go. */
export class InsertParts {
  #parts: DayPart[] = [];
  #rows = 0;

  hasRoomFor({ day, events }: DayPart): boolean {
    if (this.#parts.length > 0 && this.#rows + events.rows > INSERT_ROWS_MAX) return false;
    return this.#parts.at(-1)?.day === day || !this.#parts.some((part) => part.day === day);
  }

  add(part: DayPart): void {
    if (part.events.rows > 0) this.#parts.push(part);
    this.#rows += part.events.rows;
  }

  takeAll(): readonly DayPart[] {
    const parts = this.#parts;
    [this.#parts, this.#rows] = [[], 0];
    return parts;
  }
}
