/** A serial queue runs one task at a time, in order, and refuses what is beyond its bound. */
import { describe, expect, it } from "vitest";
import { SerialQueue } from "../../../../src/runtime/base/queue.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { createDeferred } from "../../../support/deferred.ts";

const { signal } = new AbortController();

const make = (waitingMax = 10): SerialQueue => new SerialQueue({ waitingMax, retryAfterSecs: 7 });

describe("the serial queue", () => {
  it("runs one task at a time, in order of arrival", async () => {
    const queue = make();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      steps.push(`${name} ends`);
      return name;
    };
    expect(await Promise.all(["a", "b", "c"].map((name) => queue.run(work(name), signal)))).toEqual(["a", "b", "c"]);
    expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("continues after a task that fails, whose caller gets the error", async () => {
    const queue = make();
    const failing = queue.run(async () => Promise.reject(new Error("broken")), signal);
    const next = queue.run(async () => "done", signal);
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("done");
  });

  it("rejects tasks beyond its limit with 429, and accepts tasks again when one has ended", async () => {
    const queue = make(2);
    const first = createDeferred<void>();
    const taken = [queue.run(() => first.promise, signal), queue.run(async () => {}, signal), queue.run(async () => {}, signal)];
    const refused = await queue.run(async () => {}, signal).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect((refused as AppError).failure).toEqual({ code: "too_many_requests", retryAfterSecs: 7 });
    first.resolve();
    await Promise.all(taken);
    expect(await queue.run(async () => "free", signal)).toBe("free");
  });

  it("does not start a task that was aborted while it waited", async () => {
    const queue = make();
    const first = createDeferred<void>();
    const controller = new AbortController();
    const begun: string[] = [];
    const running = queue.run(() => first.promise, signal);
    const givenUp = queue.run(async () => begun.push("given up"), controller.signal);
    const kept = queue.run(async () => begun.push("kept"), signal);
    controller.abort(new Error("too late"));
    first.resolve();
    await running;
    await expect(givenUp).rejects.toThrow("too late");
    await kept;
    expect(begun).toEqual(["kept"]);
  });
});
