/** Ends connections whose client takes nothing of what waits to be sent: an answer that nobody reads would stay in memory for ever. */
import type { Socket } from "node:net";
import { RESPONSE_STALL_MS } from "../../src/runtime/config/limits.ts";

/** Bytes given to the system, and those of them that it has not taken yet. Equal twice, with some left, when none went out. */
interface Progress {
  readonly given: number;
  readonly waiting: number;
  readonly sinceMs: number;
}

/**
 * What the system has not taken of the write under way, as Node's own timeouts look at it: `writableLength` stays the same until
 * all of a write is taken, however large it is.
 */
function waitingBytes(socket: Socket): number {
  const handle = Reflect.get(socket, "_handle") as { readonly writeQueueSize?: number } | null | undefined;
  return handle?.writeQueueSize ?? 0;
}

export class StalledConnections {
  readonly #sockets: Iterable<Socket>;
  readonly #progress = new WeakMap<Socket, Progress>();

  /** `sockets` are those that are open. */
  constructor(sockets: Iterable<Socket>) {
    this.#sockets = sockets;
  }

  /** Ends those that have stood still for `RESPONSE_STALL_MS`. To be called about once a second. */
  end(nowMs: number): void {
    for (const socket of this.#sockets) this.#look(socket, nowMs);
  }

  #look(socket: Socket, nowMs: number): void {
    const [given, waiting] = [socket.bytesWritten, waitingBytes(socket)];
    const before = this.#progress.get(socket);
    if (waiting === 0) {
      if (before) this.#progress.delete(socket);
    } else if (before?.given !== given || before.waiting !== waiting || nowMs < before.sinceMs) {
      this.#progress.set(socket, { given, waiting, sinceMs: nowMs });
    } else if (nowMs - before.sinceMs >= RESPONSE_STALL_MS) {
      endAtOnce(socket);
    }
  }
}

/** Also what the system holds is thrown away: it would try for many minutes to get rid of it. */
export const endAtOnce = (socket: Socket): void => void socket.resetAndDestroy();
