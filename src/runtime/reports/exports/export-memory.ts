/** How much memory all exports together may take: each is built in memory, and stays there until its client has taken it. */
import { AppError, invalidInput } from "../../errors.ts";

/** It depends on what others export meanwhile, so it may be tried again. */
const RETRY_SECS = 30;

export class ExportMemory {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Of all exports. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What one export takes: nothing yet. */
  open(): ExportReservation {
    let own = 0;
    return {
      add: (bytes) => {
        if (own + bytes > this.#bytesMax) throw tooLarge(this.#bytesMax);
        if (this.#bytes + bytes > this.#bytesMax) throw taken();
        own += bytes;
        this.#bytes += bytes;
      },
      clear: () => {
        this.#bytes -= own;
        own = 0;
      },
    };
  }
}

export interface ExportReservation {
  /** Counts what is about to be kept; 503 when others leave too little, 400 when it would be too much for one export alone. */
  add(bytes: number): void;
  /** All of it is free again. Safe to call twice. */
  clear(): void;
}

const tooLarge = (bytesMax: number): AppError =>
  invalidInput(`The export takes more than ${bytesMax / 1024 / 1024} MiB of memory; ask for fewer days, a filter or a smaller "limit"`);

const taken = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: RETRY_SECS },
    'Other exports take the memory that exports have. Try again later, or with a smaller "limit".',
  );
