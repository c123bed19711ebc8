/** Entry point of the password thread: hashes and verifies passwords. */
import { randomBytes } from "node:crypto";
import type { PasswordTask } from "./instance-threads.ts";
import { serveTasks, lowerPriority } from "./task-thread.ts";
import { createArgon2id } from "../../../src/runtime/access/password-hasher.ts";

lowerPriority("query");

const hasher = createArgon2id(randomBytes);

serveTasks(async (task: PasswordTask): Promise<string | boolean> =>
  task.kind === "hash" ? hasher.hash(task.password) : hasher.verify(task.password, task.phc),
);
