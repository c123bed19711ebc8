/** A thread that does tasks for the main one: both ends of it. It starts when the first task comes, and anew when it died. */
import { parentPort, Worker } from "node:worker_threads";
import { reasonOf } from "../../src/runtime/metrics/log.ts";

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

export interface TaskThreadOptions {
  /** The program that calls `serveTasks`. */
  readonly url: URL;
  /** How long the thread is kept for the next task; without it, until the close. */
  readonly idleMs?: number;
}

export class TaskThread<Task, Result> {
  readonly #options: TaskThreadOptions;
  #running: RunningThread<Result> | null = null;
  #tasks = 0;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /** Rejects when the task fails, and when the thread ends before it is done. */
  run(task: Task): Promise<Result> {
    const running = (this.#running ??= this.#start());
    clearTimeout(running.idleTimeout);
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      running.pending.set(id, { resolve, reject });
      running.worker.postMessage({ id, task } satisfies TaskMessage<Task>);
    });
  }

  async close(): Promise<void> {
    await this.#letGo(this.#running);
  }

  #start(): RunningThread<Result> {
    const running: RunningThread<Result> = { worker: new Worker(this.#options.url), pending: new Map() };
    let failure = new Error("the thread ended before its task was done");
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
    running.idleTimeout = setTimeout(() => void this.#letGo(running), idleMs).unref();
  }

  async #letGo(running: RunningThread<Result> | null): Promise<void> {
    if (this.#running === running) this.#running = null;
    clearTimeout(running?.idleTimeout);
    await running?.worker.terminate();
  }
}

/**
 * The thread's end: does the tasks that come. `memoryOf` names the memory of a result that changes hands instead of being
 * copied.
 */
export function serveTasks<Task, Result>(serve: (task: Task) => Promise<Result>, memoryOf?: (result: Result) => ArrayBuffer[]): void {
  const port = parentPort;
  if (!port) throw new Error("tasks are served in a worker thread only");
  const reply = (message: TaskReply<Result>, handedOver: ArrayBuffer[] = []) => port.postMessage(message, handedOver);
  port.on("message", ({ id, task }: TaskMessage<Task>) => {
    serve(task).then(
      (result) => reply({ id, result }, memoryOf?.(result)),
      (error: unknown) => reply({ id, reason: reasonOf(error) }),
    );
  });
}
