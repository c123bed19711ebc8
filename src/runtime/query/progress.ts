/**
 * How far the reading of a plan's events has come. It crosses threads, and reaches the reader who waits. It counts calendar days of the
 * ranges that are asked for. Days without events, and those whose rows are in rollups or kept from an earlier attempt, count as read.
 */
import type { LocalDate } from "../../storage/event.ts";
import type { DateRange } from "./date-range.ts";

export interface DaysRead {
  /** Days of the steps that have begun, so it grows with a comparison. */
  readonly days: number;
  readonly daysRead: number;
  /** The first date with events of the part that was begun last; null until one is. */
  readonly reading: LocalDate | null;
}

/** Waits for a result, on this thread or another one. */
export interface Waiter {
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Called about once for each part of a range whose events are read. ClickHouse tells nothing. */
  readonly onProgress?: (progress: DaysRead) => void;
}

interface Part {
  /** Its days with events, oldest first. */
  readonly days: readonly LocalDate[];
}

type Tell = (left: number, reading: LocalDate | null) => void;

const daysOf = (ranges: readonly DateRange[]): number => ranges.reduce((sum, { dayCount }) => sum + dayCount, 0);

/** The progress of one run of a plan. */
export class Progress {
  readonly #onProgress: Waiter["onProgress"];
  /** Days that each share has left. */
  readonly #left: number[] = [];
  #days = 0;
  #reading: LocalDate | null = null;

  constructor(onProgress: Waiter["onProgress"]) {
    this.#onProgress = onProgress;
  }

  /** A step begins to read these ranges. */
  ask(ranges: readonly DateRange[]): void {
    this.#days += daysOf(ranges);
  }

  /** The share of one of several threads, which then tells the days that it has left. */
  share(ranges: readonly DateRange[]): Tell {
    const index = this.#left.push(daysOf(ranges)) - 1;
    return (left, reading) => {
      this.#left[index] = left;
      this.#reading = reading ?? this.#reading;
      const allLeft = this.#left.reduce((sum, each) => sum + each, 0);
      this.#onProgress?.({ days: this.#days, daysRead: this.#days - allLeft, reading: this.#reading });
    };
  }

  /** The share of the calling thread: nothing is left of it before it says what there is to read. */
  ownShare(): PartsLeft {
    return new PartsLeft(this.share([]));
  }
}

/** The parts that the calling thread has left to read. */
export class PartsLeft {
  readonly #tell: Tell;
  readonly #parts = new Set<Part>();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  get #days(): number {
    return [...this.#parts].reduce((sum, { days }) => sum + days.length, 0);
  }

  /** Another attempt at the same ranges, cut in another way, begins anew. Without parts, nobody needs to know. */
  begin(parts: readonly Part[]): void {
    this.#parts.clear();
    for (const part of parts) this.#parts.add(part);
    if (parts.length > 0) this.#tell(this.#days, null);
  }

  async read(part: Part, task: () => Promise<unknown>): Promise<void> {
    this.#tell(this.#days, part.days[0] ?? null);
    await task();
    this.leaveOut(part);
  }

  /** The part's rows are known. */
  leaveOut(part: Part): void {
    if (this.#parts.delete(part) && this.#parts.size === 0) this.#tell(0, null);
  }
}
