/** Formats timestamps of an export. Rows are in order of time, so most of the text is that of the previous row. */
import type { EpochMs } from "../../../storage/event.ts";
import type { ByteWriter } from "./byte-writer.ts";

const MINUTE_MS = 60_000;

/** The end of the formatted first millisecond of a minute. */
const BEGINNING = ":00.000Z";

const ZERO = 48;

export class TimeWriter {
  readonly #formatted: (text: string) => string;
  readonly #encoder = new TextEncoder();
  #minuteMs: EpochMs = Number.NaN;
  #bytes = new Uint8Array(0);
  /** Offset of the seconds in `bytes`. */
  #secondsAt = 0;

  /** `formatted` formats a text for the export. */
  constructor(formatted: (text: string) => string) {
    this.#formatted = formatted;
  }

  /** Writes `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  write(writer: ByteWriter, timestampMs: EpochMs): void {
    const minuteMs = Math.floor(timestampMs / MINUTE_MS) * MINUTE_MS;
    if (minuteMs !== this.#minuteMs) this.#beginMinute(minuteMs);
    const bytes = this.#bytes;
    let rest = timestampMs - minuteMs;
    // From the right: three digits of milliseconds, then two of seconds.
    for (const place of [5, 4, 3, 1, 0]) {
      bytes[this.#secondsAt + place] = ZERO + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    writer.copy(bytes, 0, bytes.length);
  }

  #beginMinute(minuteMs: EpochMs): void {
    const text = this.#formatted(new Date(minuteMs).toISOString());
    this.#minuteMs = minuteMs;
    this.#bytes = this.#encoder.encode(text);
    this.#secondsAt = text.lastIndexOf(BEGINNING) + 1;
  }
}
