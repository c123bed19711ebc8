/**
 * Runs the methods of a port in a worker thread: both ends of the protocol, and the priority of threads. The thread starts with the first
 * call, and again after it died.
 */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, Worker } from "node:worker_threads";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";

/** Values of nice(2): 0 is normal, 19 the lowest priority. */
const NICE = {
  /** A request waits for it. */
  query: 5,
  /** No request waits for it. */
  background: 10,
};

/** Applies to the calling thread. Does nothing on systems whose threads have no priority of their own. */
export function lowerPriority(work: keyof typeof NICE): void {
  try {
    // Linux gives threads ids like processes. This link of the calling thread ends in its own: <process>/task/<thread>.
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), NICE[work]);
  } catch {
    // Another system, or one without /proc.
  }
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly values: readonly unknown[];
}

type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly name: string; readonly reason: string });

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

interface RunningThread {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
  idleTimeout?: NodeJS.Timeout;
}

interface PortThreadOptions {
  readonly script: string;
  /** An idle thread is kept this long; if absent, until `close`. */
  readonly idleMs?: number;
  readonly workerData?: unknown;
}

export class PortThread<Port> {
  readonly #options: PortThreadOptions;
  #running: RunningThread | null = null;
  #calls = 0;
  #isClosed = false;

  constructor(options: PortThreadOptions) {
    this.#options = options;
  }

  /** The port's method of this name, run in the thread. It also rejects if the thread exits before. */
  method<Name extends keyof Port & string>(name: Name): Port[Name] {
    return ((...values: readonly unknown[]) => this.#run(name, values)) as Port[Name];
  }

  async #run(method: string, values: readonly unknown[]): Promise<unknown> {
    if (this.#isClosed) throw new Error("the thread is closed");
    const running = (this.#running ??= this.#start());
    clearTimeout(running.idleTimeout);
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      running.pending.set(id, { resolve, reject });
      running.worker.postMessage({ id, method, values } satisfies Call);
    });
  }

  /** Ends the thread in the middle of its calls, which reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#terminate(this.#running);
  }

  #start(): RunningThread {
    const running: RunningThread = {
      worker: new Worker(this.#options.script, { eval: true, workerData: this.#options.workerData }),
      pending: new Map(),
    };
    let failure = new Error("the thread exited before its call was done");
    running.worker.on("message", (reply: Reply) => this.#settle(running, reply));
    running.worker.on("error", (error) => (failure = error));
    running.worker.on("exit", () => {
      if (this.#running === running) this.#running = null;
      for (const { reject } of running.pending.values()) reject(failure);
      running.pending.clear();
    });
    return running;
  }

  #settle(running: RunningThread, reply: Reply): void {
    const pending = running.pending.get(reply.id);
    running.pending.delete(reply.id);
    if ("result" in reply) pending?.resolve(reply.result as never);
    else pending?.reject(Object.assign(new Error(reply.reason), { name: reply.name }));
    const { idleMs } = this.#options;
    if (idleMs === undefined || running.pending.size > 0) return;
    running.idleTimeout = setTimeout(() => void this.#terminate(running), idleMs).unref();
  }

  async #terminate(running: RunningThread | null): Promise<void> {
    if (this.#running === running) this.#running = null;
    clearTimeout(running?.idleTimeout);
    await running?.worker.terminate();
  }
}

/** A file in the result is transferred to the main thread instead of copied. */
function transferablesOf(result: unknown): ArrayBuffer[] {
  const bytes = typeof result === "object" && result !== null && "bytes" in result ? result.bytes : result;
  return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : [];
}

export function servePort(port: object, work: keyof typeof NICE): void {
  const parent = parentPort;
  if (!parent) throw new Error("servePort must be called in a worker thread");
  lowerPriority(work);
  const call = async ({ method, values }: Call): Promise<unknown> => Reflect.apply(Reflect.get(port, method), port, values);
  const reply = (message: Reply, transferred: ArrayBuffer[] = []) => parent.postMessage(message, transferred);
  parent.on("message", (message: Call) => {
    const { id } = message;
    call(message).then(
      (result) => reply({ id, result }, transferablesOf(result)),
      (error: unknown) => reply({ id, name: error instanceof Error ? error.name : "Error", reason: reasonOf(error) }),
    );
  });
}
