/** The memory limit of all exports together: each is built in memory, and stays there until its client has read it (docs/http-api.md, "Export"). */
import { GUEST_EXPORTS_SHARE_MAX } from "../../base/config/report-limits.ts";
import { AppError, invalidInput } from "../../base/errors.ts";

/** `Retry-After` if other exports use the memory, in seconds. */
const RETRY_SECS = 30;

export class ExportMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  /** Included in `#bytes`: memory reserved by guests of share links and public sites. */
  #guestBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Opens an empty reservation for one export. Guests can reserve only a share of the memory. */
  open(isGuest = false): ExportReservation {
    const bytesMax = isGuest ? this.#bytesMax * GUEST_EXPORTS_SHARE_MAX : this.#bytesMax;
    let own = 0;
    const count = (bytes: number): void => {
      own += bytes;
      this.#bytes += bytes;
      if (isGuest) this.#guestBytes += bytes;
    };
    return {
      add: (bytes) => {
        if (own + bytes > bytesMax) throw tooLarge(bytesMax);
        const isTaken = this.#bytes + bytes > this.#bytesMax || (isGuest && this.#guestBytes + bytes > bytesMax);
        if (isTaken) throw exhausted();
        count(bytes);
      },
      clear: () => count(-own),
    };
  }
}

export interface ExportReservation {
  /**
   * Reserves bytes before they are allocated. Throws 503 if other exports leave too little, and 400 if the export alone exceeds the limit.
   */
  add(bytes: number): void;
  /** Releases the whole reservation. Idempotent. */
  clear(): void;
}

const tooLarge = (bytesMax: number): AppError =>
  invalidInput(`The export takes more than ${bytesMax / 1024 / 1024} MiB of memory. Use fewer days, a filter or a smaller "limit"`);

const exhausted = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: RETRY_SECS },
    'Other exports are using the memory reserved for exports. Try again later, or with a smaller "limit".',
  );
