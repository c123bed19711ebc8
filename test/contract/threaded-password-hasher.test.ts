/** Argon2id in a worker thread against the contract of its port; it blocks no other work and restarts after the thread exits. */
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { threadedPasswordHasher } from "../../adapters/node/threads/instance-threads.ts";
import { threadScript } from "../support/built.ts";
import { describePasswordHasher } from "./password-hasher.suite.ts";

const hasher = threadedPasswordHasher(threadScript("password"));

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

describe("the threaded password hasher", () => {
  it("starts its thread with the first password, and one thread for many", async () => {
    const idle = threadedPasswordHasher(threadScript("password"));
    const before = workers.length;
    await Promise.all(["one password", "another password"].map((password) => idle.hash(password)));
    expect(workers.length - before).toBe(1);
    await idle.close();
    await idle.close();
  });

  it("does not block the calling thread", async () => {
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

  it("when the thread exits, running calls reject, and later ones use a new thread", async () => {
    const ended = threadedPasswordHasher(threadScript("password"));
    // More than the thread can finish by then, however long this process waits for the processor.
    const underWay = Array.from({ length: 50 }, () => ended.hash("correct horse battery"));
    const settled = Promise.allSettled(underWay);
    const rejected = expect(underWay.at(-1)).rejects.toThrow("the thread exited");
    // Node reports a new thread a moment later.
    await new Promise((resolve) => setImmediate(resolve));
    await workers.at(-1)?.terminate();
    await rejected;
    await settled;
    const phc = await ended.hash("correct horse battery");
    expect(await ended.verify("correct horse battery", phc)).toBe(true);
    await ended.close();
  });

  it("calls reject if no thread can be started", async () => {
    const broken = threadedPasswordHasher("throw new Error('no hasher here')");
    await expect(broken.hash("correct horse battery")).rejects.toThrow("no hasher here");
    await broken.close();
  });
});
