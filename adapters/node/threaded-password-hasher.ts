/** Password hashing in a thread of its own, so that a login never holds up ingestion. It is there only while it is needed. */
import { Worker } from "node:worker_threads";
import type { PasswordHasher } from "../../src/runtime/auth/password-hasher.ts";
import type { PasswordCall, PasswordReply, PasswordRequest } from "./password-messages.ts";

/** How long the thread is kept for the next password. Between logins its memory is better given back. */
const IDLE_MS = 10_000;

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (reason: Error) => void;
}

interface RunningWorker {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
  idleTimeout?: NodeJS.Timeout;
}

export class ThreadedPasswordHasher implements PasswordHasher {
  readonly #workerUrl: URL;
  #running: RunningWorker | null = null;
  #calls = 0;

  constructor(workerUrl: URL) {
    this.#workerUrl = workerUrl;
  }

  hash(password: string): Promise<string> {
    return this.#call({ kind: "hash", args: [password] });
  }

  verify(password: string, phc: string): Promise<boolean> {
    return this.#call({ kind: "verify", args: [password, phc] });
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    clearTimeout(running?.idleTimeout);
    await running?.worker.terminate();
  }

  #call<T>(call: PasswordCall): Promise<T> {
    const running = (this.#running ??= this.#start());
    clearTimeout(running.idleTimeout);
    const id = ++this.#calls;
    return new Promise<T>((resolve, reject) => {
      running.pending.set(id, { resolve, reject });
      running.worker.postMessage({ id, ...call } satisfies PasswordRequest);
    });
  }

  #start(): RunningWorker {
    const running: RunningWorker = { worker: new Worker(this.#workerUrl), pending: new Map() };
    let failure = new Error("the thread of passwords stopped");
    running.worker.on("message", (reply: PasswordReply) => this.#settle(running, reply));
    running.worker.on("error", (error) => (failure = error));
    running.worker.on("exit", () => {
      if (this.#running === running) this.#running = null;
      for (const { reject } of running.pending.values()) reject(failure);
      running.pending.clear();
    });
    return running;
  }

  #settle(running: RunningWorker, reply: PasswordReply): void {
    const call = running.pending.get(reply.id);
    running.pending.delete(reply.id);
    if ("result" in reply) call?.resolve(reply.result as never);
    else call?.reject(new Error(reply.error));
    if (running.pending.size === 0) running.idleTimeout = setTimeout(() => this.#letGo(running), IDLE_MS).unref();
  }

  #letGo(running: RunningWorker): void {
    if (this.#running === running) this.#running = null;
    void running.worker.terminate();
  }
}
