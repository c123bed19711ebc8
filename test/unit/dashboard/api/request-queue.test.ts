/** How many of the dashboard's requests are under way at once. */
import { describe, expect, it } from "vitest";
import { RequestQueue } from "../../../../dashboard/api/request-queue.ts";
import { createDeferred } from "../../../support/deferred.ts";

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the queue of requests", () => {
  it("runs so many at once and the rest in order as they end", async () => {
    const queue = new RequestQueue(2);
    const started: number[] = [];
    const ends = [createDeferred<number>(), createDeferred<number>(), createDeferred<number>(), createDeferred<number>()];
    const results = ends.map(({ promise }, i) =>
      queue.run(() => {
        started.push(i);
        return promise;
      }, never),
    );
    await turn();
    expect(started).toEqual([0, 1]);
    ends[1]?.resolve(1);
    await turn();
    expect(started).toEqual([0, 1, 2]);
    ends[0]?.resolve(0);
    ends[2]?.resolve(2);
    ends[3]?.resolve(3);
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
  });

  it("never starts what was given up while it waited, and goes on", async () => {
    const queue = new RequestQueue(1);
    const first = createDeferred<string>();
    const running = queue.run(() => first.promise, never);
    const controller = new AbortController();
    let started = false;
    const given = queue.run(async () => (started = true), controller.signal);
    const last = queue.run(async () => "last", never);
    controller.abort(new Error("given up"));
    await expect(given).rejects.toThrow("given up");
    first.resolve("first");
    expect([await running, await last, started]).toEqual(["first", "last", false]);
  });

  it("makes room after a failure", async () => {
    const queue = new RequestQueue(1);
    await expect(queue.run(() => Promise.reject(new Error("broken")), never)).rejects.toThrow("broken");
    expect(await queue.run(async () => "next", never)).toBe("next");
  });
});
