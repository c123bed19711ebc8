/** The order in which a job looks at sites. */
import { describe, expect, it } from "vitest";
import { SiteQueue } from "../../../../../src/runtime/duckdb/rollups/rollups.ts";
import { siteId } from "../../../../support/stored-event.ts";

const [A, B, C] = [siteId("a.test"), siteId("b.test"), siteId("c.test")];

const always = () => true;

function createQueue() {
  let nowMs = 0;
  const queue = new SiteQueue({ monotonicMs: () => nowMs, retryMsMin: 100, retryMsMax: 300 });
  return { queue, advance: (ms: number) => (nowMs += ms) };
}

describe("the site queue", () => {
  it("returns changed sites first, then the others in order of arrival, each once", () => {
    const { queue } = createQueue();
    for (const site of [A, B, A]) queue.add(site);
    queue.addChanged(C);
    queue.add(C);
    const order = [];
    for (let site = queue.next(always); site; site = queue.next(always)) {
      order.push(site);
      queue.remove(site);
    }
    expect(order).toEqual([C, A, B]);
    expect(queue.msUntilNext()).toBe(Number.POSITIVE_INFINITY);
  });

  it("skips sites that are not ready", () => {
    const { queue } = createQueue();
    for (const site of [A, B]) queue.add(site);
    expect(queue.next((site) => site !== A)).toBe(B);
    expect(queue.next(always)).toBe(A);
  });

  it("makes a failed site wait, twice as long after each failure up to the longest pause, while others continue", () => {
    const { queue, advance } = createQueue();
    queue.add(B);
    for (const pauseMs of [100, 200, 300, 300]) {
      queue.remove(A);
      queue.retry(A);
      queue.remove(B);
      expect(queue.msUntilNext()).toBe(pauseMs);
      queue.add(B);
      expect([queue.next(always), queue.msUntilNext()]).toEqual([B, 0]);
      advance(pauseMs - 1);
      expect(queue.next((site) => site === A)).toBeUndefined();
      advance(1);
      expect(queue.next((site) => site === A)).toBe(A);
    }
    queue.noteSuccess(A);
    queue.remove(A);
    queue.retry(A);
    queue.remove(B);
    expect(queue.msUntilNext()).toBe(100);
  });
});
