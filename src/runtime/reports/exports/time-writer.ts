/** Formats timestamps of an export. Rows are in order of time, so only the seconds usually change from row to row. */
import type { EpochMs } from "../../../storage/event.ts";
import type { ByteWriter } from "./byte-writer.ts";

const MINUTE_MS = 60_000;

/** The seconds and milliseconds at the start of a minute, in ISO 8601. */
const MINUTE_START = ":00.000Z";

/** The character code of `0`. */
const ZERO = 48;

export class TimeWriter {
  readonly #format: (text: string) => string;
  readonly #encoder = new TextEncoder();
  #minuteMs: EpochMs = Number.NaN;
  #bytes = new Uint8Array(0);
  /** Offset of the seconds in `bytes`. */
  #secondsAt = 0;

  /** `format` formats a text for the export. */
  constructor(format: (text: string) => string) {
    this.#format = format;
  }

  /** Writes `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  write(writer: ByteWriter, timestampMs: EpochMs): void {
    const minuteMs = Math.floor(timestampMs / MINUTE_MS) * MINUTE_MS;
    if (minuteMs !== this.#minuteMs) this.#startMinute(minuteMs);
    const bytes = this.#bytes;
    let remaining = timestampMs - minuteMs;
    // From the right: three digits of milliseconds, then two of seconds.
    for (const place of [5, 4, 3, 1, 0]) {
      bytes[this.#secondsAt + place] = ZERO + (remaining % 10);
      remaining = Math.floor(remaining / 10);
    }
    writer.copy(bytes, 0, bytes.length);
  }

  #startMinute(minuteMs: EpochMs): void {
    const text = this.#format(new Date(minuteMs).toISOString());
    this.#minuteMs = minuteMs;
    this.#bytes = this.#encoder.encode(text);
    this.#secondsAt = text.lastIndexOf(MINUTE_START) + 1;
  }
}
