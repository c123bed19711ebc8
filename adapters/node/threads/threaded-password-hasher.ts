/** The password hasher port on a worker thread, so that a login does not delay ingestion. The thread exits when it is idle. */
import type { PasswordHasher } from "../../../src/runtime/access/password-hasher.ts";
import { TaskThread } from "./task-thread.ts";

export type PasswordTask =
  | { readonly kind: "hash"; readonly password: string }
  | { readonly kind: "verify"; readonly password: string; readonly phc: string };

/** Argon2id needs memory that is better released between logins. */
const IDLE_MS = 10_000;

export class ThreadedPasswordHasher implements PasswordHasher {
  readonly #thread: TaskThread<PasswordTask, string | boolean>;

  constructor(script: string) {
    this.#thread = new TaskThread({ script, idleMs: IDLE_MS });
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
