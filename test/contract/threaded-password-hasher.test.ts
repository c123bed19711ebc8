/** Argon2id in a thread of its own keeps the promises of the port, holds nobody up, and survives the thread's end. */
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ThreadedPasswordHasher } from "../../adapters/node/threaded-password-hasher.ts";
import { PASSWORD_WORKER_URL } from "../support/built.ts";
import { describePasswordHasher } from "./password-hasher.suite.ts";

const hasher = new ThreadedPasswordHasher(PASSWORD_WORKER_URL);

const workers: Worker[] = [];
const onWorker = (worker: Worker) => workers.push(worker);
beforeAll(() => {
  process.on("worker", onWorker);
});
afterAll(async () => {
  process.off("worker", onWorker);
  await hasher.close();
});

describePasswordHasher("in a thread of its own", hasher);

describe("the password hasher in a thread of its own", () => {
  it("starts no thread before the first password, and one for many", async () => {
    const idle = new ThreadedPasswordHasher(PASSWORD_WORKER_URL);
    const before = workers.length;
    await Promise.all(["one password", "another password"].map((password) => idle.hash(password)));
    expect(workers.length - before).toBe(1);
    await idle.close();
    await idle.close();
  });

  it("leaves the caller's thread free while it works", async () => {
    let turnsOfTheLoop = 0;
    let working = true;
    const count = () => {
      turnsOfTheLoop++;
      if (working) setImmediate(count);
    };
    setImmediate(count);
    await hasher.hash("correct horse battery");
    working = false;
    expect(turnsOfTheLoop).toBeGreaterThan(20);
  });

  it("rejects what is under way when the thread ends, and goes on with another thread", async () => {
    const ended = new ThreadedPasswordHasher(PASSWORD_WORKER_URL);
    // More than the thread can have done by then, however long this process has to wait for its turn.
    const underWay = Array.from({ length: 50 }, () => ended.hash("correct horse battery"));
    const settled = Promise.allSettled(underWay);
    const rejected = expect(underWay.at(-1)).rejects.toThrow("the thread exited");
    // Node tells of a new thread a moment later.
    await new Promise((resolve) => setImmediate(resolve));
    await workers.at(-1)?.terminate();
    await rejected;
    await settled;
    const phc = await ended.hash("correct horse battery");
    expect(await ended.verify("correct horse battery", phc)).toBe(true);
    await ended.close();
  });

  it("rejects when there is no thread to be had", async () => {
    const broken = new ThreadedPasswordHasher(new URL("./nothing.js", PASSWORD_WORKER_URL));
    await expect(broken.hash("correct horse battery")).rejects.toThrow(/nothing\.js/);
    await broken.close();
  });
});
