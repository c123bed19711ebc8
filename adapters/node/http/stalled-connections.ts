/** Resets connections whose client reads nothing: the response would stay in memory forever. */
import type { Socket } from "node:net";
import { RESPONSE_STALL_MS } from "../../../src/runtime/base/config/limits.ts";
import { resetConnection } from "./connection-close.ts";

/** Bytes passed to the socket, and those of them that the system has not accepted. If both are unchanged, nothing was sent. */
interface Progress {
  readonly written: number;
  readonly queued: number;
  readonly sinceMs: number;
}

/**
 * Bytes of the current write that the system has not accepted. Node's own timeouts read the same field: `writableLength` does not
 * change until a write is complete, however large it is.
 */
function queuedBytes(socket: Socket): number {
  const handle = Reflect.get(socket, "_handle") as { readonly writeQueueSize?: number } | null | undefined;
  return handle?.writeQueueSize ?? 0;
}

export class StalledConnections {
  readonly #sockets: Iterable<Socket>;
  readonly #progress = new WeakMap<Socket, Progress>();

  /** `sockets` yields the open ones. */
  constructor(sockets: Iterable<Socket>) {
    this.#sockets = sockets;
  }

  /** Resets those without progress for `RESPONSE_STALL_MS`. To be called about once a second, with a monotonic time. */
  end(nowMs: number): void {
    for (const socket of this.#sockets) this.#check(socket, nowMs);
  }

  #check(socket: Socket, nowMs: number): void {
    const [written, queued] = [socket.bytesWritten, queuedBytes(socket)];
    const before = this.#progress.get(socket);
    if (queued === 0) {
      if (before) this.#progress.delete(socket);
    } else if (before?.written !== written || before.queued !== queued) {
      this.#progress.set(socket, { written, queued, sinceMs: nowMs });
    } else if (nowMs - before.sinceMs >= RESPONSE_STALL_MS) {
      resetConnection(socket);
    }
  }
}
