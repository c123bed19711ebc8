/** The limit on the dashboard's concurrent requests. */
import { describe, expect, it } from "vitest";
import { RequestQueue } from "../../../../dashboard/api/reports.ts";
import { createDeferred } from "../../../support/deferred.ts";

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the request queue", () => {
  it("the queue runs up to its limit at once, and the rest in order as slots become free", async () => {
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

  it("the queue never starts a request that was aborted while waiting, and continues with the next", async () => {
    const queue = new RequestQueue(1);
    const first = createDeferred<string>();
    const running = queue.run(() => first.promise, never);
    const controller = new AbortController();
    let started = false;
    const aborted = queue.run(async () => (started = true), controller.signal);
    const last = queue.run(async () => "last", never);
    controller.abort(new Error("aborted"));
    await expect(aborted).rejects.toThrow("aborted");
    first.resolve("first");
    expect([await running, await last, started]).toEqual(["first", "last", false]);
  });

  it("the queue frees the slot of a failed request", async () => {
    const queue = new RequestQueue(1);
    await expect(queue.run(() => Promise.reject(new Error("broken")), never)).rejects.toThrow("broken");
    expect(await queue.run(async () => "next", never)).toBe("next");
  });
});
