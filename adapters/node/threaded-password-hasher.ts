/** Password hashing in a thread of its own, so that a login never holds up ingestion. It is there only while it is needed. */
import type { PasswordHasher } from "../../src/runtime/auth/password-hasher.ts";
import { TaskThread } from "./task-thread.ts";

export type PasswordTask =
  | { readonly kind: "hash"; readonly password: string }
  | { readonly kind: "verify"; readonly password: string; readonly phc: string };

/** How long the thread is kept for the next password. Between logins its memory is better given back. */
const IDLE_MS = 10_000;

export class ThreadedPasswordHasher implements PasswordHasher {
  readonly #thread: TaskThread<PasswordTask, string | boolean>;

  constructor(workerUrl: URL) {
    this.#thread = new TaskThread({ url: workerUrl, idleMs: IDLE_MS });
  }

  async hash(password: string): Promise<string> {
    return String(await this.#thread.run({ kind: "hash", password }));
  }

  async verify(password: string, phc: string): Promise<boolean> {
    return (await this.#thread.run({ kind: "verify", password, phc })) === true;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
