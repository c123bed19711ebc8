/** Work that takes turns: in order, one at a time, and not too much of it. */
import { describe, expect, it } from "vitest";
import { Turns } from "../../../../src/runtime/auth/serial-queue.ts";
import { AppError } from "../../../../src/runtime/errors.ts";
import { createDeferred } from "../../../support/deferred.ts";

const { signal } = new AbortController();

const make = (waitingMax = 10): Turns => new Turns({ waitingMax, retryAfterSecs: 7 });

describe("turns", () => {
  it("are taken one after the other, in the order of asking", async () => {
    const turns = make();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      steps.push(`${name} ends`);
      return name;
    };
    expect(await Promise.all(["a", "b", "c"].map((name) => turns.run(work(name), signal)))).toEqual(["a", "b", "c"]);
    expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("go on after work that fails, which is told to whoever asked for it", async () => {
    const turns = make();
    const failing = turns.run(async () => Promise.reject(new Error("broken")), signal);
    const next = turns.run(async () => "done", signal);
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("done");
  });

  it("are refused with 429 past the bound, and free again when work has ended", async () => {
    const turns = make(2);
    const first = createDeferred<void>();
    const taken = [turns.run(() => first.promise, signal), turns.run(async () => {}, signal), turns.run(async () => {}, signal)];
    const refused = await turns.run(async () => {}, signal).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect((refused as AppError).failure).toEqual({ code: "too_many_requests", retryAfterSecs: 7 });
    first.resolve();
    await Promise.all(taken);
    expect(await turns.run(async () => "free", signal)).toBe("free");
  });

  it("are not begun when they were given up while they waited", async () => {
    const turns = make();
    const first = createDeferred<void>();
    const controller = new AbortController();
    const begun: string[] = [];
    const running = turns.run(() => first.promise, signal);
    const givenUp = turns.run(async () => begun.push("given up"), controller.signal);
    const kept = turns.run(async () => begun.push("kept"), signal);
    controller.abort(new Error("too late"));
    first.resolve();
    await running;
    await expect(givenUp).rejects.toThrow("too late");
    await kept;
    expect(begun).toEqual(["kept"]);
  });
});
