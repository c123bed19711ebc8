/** Runs tasks in a worker thread: both ends of the protocol, and the priority of threads. */
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

interface TaskMessage<Task> {
  readonly id: number;
  readonly task: Task;
}

type TaskReply<Result> = { readonly id: number } & ({ readonly result: Result } | { readonly reason: string });

interface Pending<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

interface RunningThread<Result> {
  readonly worker: Worker;
  readonly pending: Map<number, Pending<Result>>;
  idleTimeout?: NodeJS.Timeout;
}

interface TaskThreadOptions {
  /** The text of a script that calls `serveTasks`. */
  readonly script: string;
  /** An idle thread is kept this long; if absent, until `close`. */
  readonly idleMs?: number;
  readonly workerData?: unknown;
}

export class TaskThread<Task, Result> {
  readonly #options: TaskThreadOptions;
  #running: RunningThread<Result> | null = null;
  #tasks = 0;
  #isClosed = false;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /** Rejects if the task fails, or if the thread exits before the task is done. */
  async run(task: Task): Promise<Result> {
    if (this.#isClosed) throw new Error("the thread is closed");
    const running = (this.#running ??= this.#start());
    clearTimeout(running.idleTimeout);
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      running.pending.set(id, { resolve, reject });
      running.worker.postMessage({ id, task } satisfies TaskMessage<Task>);
    });
  }

  /** Ends the thread in the middle of its tasks, which reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#terminate(this.#running);
  }

  #start(): RunningThread<Result> {
    const running: RunningThread<Result> = {
      worker: new Worker(this.#options.script, { eval: true, workerData: this.#options.workerData }),
      pending: new Map(),
    };
    let failure = new Error("the thread exited before its task was done");
    running.worker.on("message", (reply: TaskReply<Result>) => this.#settle(running, reply));
    running.worker.on("error", (error) => (failure = error));
    running.worker.on("exit", () => {
      if (this.#running === running) this.#running = null;
      for (const { reject } of running.pending.values()) reject(failure);
      running.pending.clear();
    });
    return running;
  }

  #settle(running: RunningThread<Result>, reply: TaskReply<Result>): void {
    const pending = running.pending.get(reply.id);
    running.pending.delete(reply.id);
    if ("result" in reply) pending?.resolve(reply.result);
    else pending?.reject(new Error(reply.reason));
    const { idleMs } = this.#options;
    if (idleMs === undefined || running.pending.size > 0) return;
    running.idleTimeout = setTimeout(() => void this.#terminate(running), idleMs).unref();
  }

  async #terminate(running: RunningThread<Result> | null): Promise<void> {
    if (this.#running === running) this.#running = null;
    clearTimeout(running?.idleTimeout);
    await running?.worker.terminate();
  }
}

/** The worker's end of the protocol. Memory that `transferablesOf` returns is transferred to the main thread instead of copied. */
export function serveTasks<Task, Result>(
  serve: (task: Task) => Promise<Result>,
  transferablesOf?: (result: Result) => ArrayBuffer[],
): void {
  const port = parentPort;
  if (!port) throw new Error("serveTasks must be called in a worker thread");
  const reply = (message: TaskReply<Result>, transferred: ArrayBuffer[] = []) => port.postMessage(message, transferred);
  port.on("message", ({ id, task }: TaskMessage<Task>) => {
    serve(task).then(
      (result) => reply({ id, result }, transferablesOf?.(result)),
      (error: unknown) => reply({ id, reason: reasonOf(error) }),
    );
  });
}
