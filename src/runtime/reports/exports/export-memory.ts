/** The shared memory limit of exports: each is built in memory, and stays there until its client has read it (docs/http-api.md, "Export"). */
import { VIEWER_EXPORTS_SHARE_MAX } from "../../base/config/report-limits.ts";
import { AppError, invalidInput } from "../../base/errors.ts";

/** `Retry-After` when other exports take the memory, in seconds. */
const RETRY_SECS = 30;

export class ExportMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  /** Of these, those of viewers of share links and public sites. */
  #viewerBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Memory reserved by all exports. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Opens an empty reservation for one export. Those of viewers leave a part of the memory to others. */
  open(isViewer = false): ExportReservation {
    const bytesMax = isViewer ? this.#bytesMax * VIEWER_EXPORTS_SHARE_MAX : this.#bytesMax;
    let own = 0;
    const count = (bytes: number): void => {
      own += bytes;
      this.#bytes += bytes;
      if (isViewer) this.#viewerBytes += bytes;
    };
    return {
      add: (bytes) => {
        if (own + bytes > bytesMax) throw tooLarge(bytesMax);
        const isTaken = this.#bytes + bytes > this.#bytesMax || (isViewer && this.#viewerBytes + bytes > bytesMax);
        if (isTaken) throw exhausted();
        count(bytes);
      },
      clear: () => count(-own),
    };
  }
}

export interface ExportReservation {
  /** Reserves bytes before they are allocated. Throws 503 if other exports leave too little, and 400 if the export alone exceeds the limit. */
  add(bytes: number): void;
  /** Releases the whole reservation. Idempotent. */
  clear(): void;
}

const tooLarge = (bytesMax: number): AppError =>
  invalidInput(`The export takes more than ${bytesMax / 1024 / 1024} MiB of memory; ask for fewer days, a filter or a smaller "limit"`);

const exhausted = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: RETRY_SECS },
    'Other exports take the memory that exports have. Try again later, or with a smaller "limit".',
  );
