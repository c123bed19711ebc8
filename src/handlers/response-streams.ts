/**
 * Bodies that are written while the client reads them. Each ends exactly once: when all of it is read, when the client or the
 * host cancels it, when writing it fails, when nothing of it was read for `RESPONSE_STALL_MS`, when it was read too slowly on average,
 * or when its client may not read on.
 */
import { RESPONSE_GRACE_MS, RESPONSE_SLICE_BYTES, RESPONSE_STALL_MS } from "../runtime/base/config/limits.ts";
import { reasonOf, type Log } from "../runtime/base/metrics/log.ts";

export interface StreamSource {
  /** Pulled one by one, on demand. */
  readonly chunks: AsyncIterator<Uint8Array, undefined>;
  /** Releases what the stream holds. Called once, however it ends. */
  readonly onEnd: () => void;
  readonly signal: AbortSignal;
  /** Asked about once a second: whether the client may read on. Null if it always may. */
  readonly isAllowed?: (() => Promise<boolean>) | null;
  /** The average rate that the client has to keep after `RESPONSE_GRACE_MS`. */
  readonly bytesPerSecondMin: number;
  /** A higher one, while another client waits for what this one holds. It counts from then on, after a grace of its own. */
  readonly whileWanted?: {
    readonly bytesPerSecondMin: number;
    /** Asked about once a second. Null while nobody waits. */
    readonly sinceMs: () => number | null;
  };
}

interface ResponseStreamsOptions {
  readonly monotonicMs: () => number;
  /** Yields to other work between two chunks. */
  readonly pause: () => Promise<void>;
  readonly log: Log;
}

export class ResponseStreams {
  readonly #options: ResponseStreamsOptions;
  readonly #open = new Set<ResponseStream>();

  constructor(options: ResponseStreamsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** The source is always released, even if the stream is never read. */
  open(source: StreamSource): ReadableStream<Uint8Array> {
    const stream = new ResponseStream(source, this.#options, () => this.#open.delete(stream));
    this.#open.add(stream);
    return stream.start();
  }

  /** Aborts streams that were not read for too long, or may not be read on, with an error, so that no client treats them as complete. */
  endOverdue(): void {
    const monotonicMs = this.#options.monotonicMs();
    for (const stream of this.#open) {
      stream.endIfSlow(monotonicMs);
      void stream.endIfForbidden();
    }
  }
}

const NOTHING = new Uint8Array(0);

interface Progress {
  /** The time that it has had. */
  readonly clientMs: number;
  readonly bytes: number;
}

const BEGINNING: Progress = { clientMs: 0, bytes: 0 };

class ResponseStream {
  readonly #options: ResponseStreamsOptions;
  readonly #source: Omit<StreamSource, "chunks">;
  readonly #onClosed: () => void;
  /** The client's progress when another client began to wait. */
  #wanted: (Progress & { readonly sinceMs: number }) | null = null;
  #isAsking = false;
  /** null once it has ended, so that its memory is freed. */
  #chunks: AsyncIterator<Uint8Array, undefined> | null;
  /** The unread part of the last chunk. */
  #rest: Uint8Array = NOTHING;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Start of the client's turn to read; null while it is written, which is not the client's time. */
  #clientSinceMs: number | null;
  /** The client's time before that. */
  #clientMs = 0;
  #bytes = 0;
  readonly #onAbort = () => this.#abort(this.#source.signal.reason);

  constructor({ chunks, ...source }: StreamSource, options: ResponseStreamsOptions, onClosed: () => void) {
    this.#options = options;
    this.#source = source;
    this.#onClosed = onClosed;
    this.#chunks = chunks;
    this.#clientSinceMs = options.monotonicMs();
  }

  start(): ReadableStream<Uint8Array> {
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#end(),
      },
      // Nothing is buffered in advance, so each pull means that everything before it was read.
      { highWaterMark: 0 },
    );
    const { signal } = this.#source;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort);
    return stream;
  }

  endIfSlow(monotonicMs: number): void {
    const waitedMs = monotonicMs - (this.#clientSinceMs ?? monotonicMs);
    if (waitedMs >= RESPONSE_STALL_MS) this.#abort(new Error(`The client has taken nothing for ${RESPONSE_STALL_MS / 1000} seconds`));
    const progress = { clientMs: this.#clientMs + waitedMs, bytes: this.#bytes };
    const { bytesPerSecondMin, whileWanted } = this.#source;
    this.#endBelow(bytesPerSecondMin, BEGINNING, progress);
    const sinceMs = whileWanted?.sinceMs() ?? null;
    if (sinceMs !== (this.#wanted?.sinceMs ?? null)) this.#wanted = sinceMs === null ? null : { ...progress, sinceMs };
    if (whileWanted && this.#wanted) this.#endBelow(whileWanted.bytesPerSecondMin, this.#wanted, progress);
  }

  #endBelow(bytesPerSecondMin: number, from: Progress, to: Progress): void {
    if (to.clientMs - from.clientMs > RESPONSE_GRACE_MS + ((to.bytes - from.bytes) / bytesPerSecondMin) * 1000)
      this.#abort(new Error(`The client has taken less than ${bytesPerSecondMin / 1024} KiB per second`));
  }

  /** A question that fails is asked again the next time. */
  async endIfForbidden(): Promise<void> {
    const { isAllowed } = this.#source;
    if (!isAllowed || this.#isAsking) return;
    this.#isAsking = true;
    const mayReadOn = await isAllowed().catch(() => true);
    this.#isAsking = false;
    if (!mayReadOn) this.#abort(new Error("What the client reads is no longer shared"));
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { monotonicMs } = this.#options;
    this.#clientMs += monotonicMs() - (this.#clientSinceMs ?? monotonicMs());
    this.#clientSinceMs = null;
    if (this.#rest.length === 0 && !(await this.#write())) return;
    const slice = this.#rest.subarray(0, RESPONSE_SLICE_BYTES);
    this.#bytes += slice.length;
    this.#rest = this.#rest.subarray(RESPONSE_SLICE_BYTES);
    this.#clientSinceMs = monotonicMs();
    controller.enqueue(slice);
  }

  /** Writes the next chunk; false if there is none. */
  async #write(): Promise<boolean> {
    await this.#options.pause();
    try {
      const next = await this.#chunks?.next();
      // It may have ended meanwhile.
      if (!next || !this.#chunks) return false;
      if (!next.done) {
        this.#rest = next.value;
        return true;
      }
      this.#end();
      this.#controller?.close();
    } catch (error) {
      this.#options.log.error("a response could not be written to its end", { reason: reasonOf(error) });
      this.#abort(error);
    }
    return false;
  }

  #abort(reason: unknown): void {
    if (!this.#chunks) return;
    this.#end();
    this.#controller?.error(reason);
  }

  #end(): void {
    if (!this.#chunks) return;
    const chunks = this.#chunks;
    this.#chunks = null;
    this.#rest = NOTHING;
    this.#source.signal.removeEventListener("abort", this.#onAbort);
    void chunks.return?.();
    this.#onClosed();
    this.#source.onEnd();
  }
}
