/** Which computation of the engine's thread has the next step. */
import { describe, expect, it } from "vitest";
import { type Caller, type Turn, Turns } from "../../../../../src/runtime/duckdb/tables/connections.ts";

const silent = new AbortController().signal;
const OWNER: Caller = { isGuest: false, signal: silent };
const GUEST: Caller = { isGuest: true, signal: silent };

/** A thread whose test says when the next round of callbacks runs, as `setImmediate` has them: none that comes meanwhile is among them. */
function makeThread() {
  let waiting: (() => void)[] = [];
  const turns = new Turns(() => new Promise((resolve) => waiting.push(resolve)));
  const steps: string[] = [];
  const microtasks = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  return {
    turns,
    /** A computation of so many steps. */
    compute: (name: string, caller: Caller, count: number) =>
      turns.run({ ...caller }, async ({ next }) => {
        for (let i = 0; i < count; i++) {
          await next();
          steps.push(name);
        }
      }),
    /** The steps of each of the next rounds. */
    async rounds(count: number): Promise<string[]> {
      const made: string[] = [];
      for (let i = 0; i < count; i++) {
        const round = waiting;
        waiting = [];
        for (const resolve of round) {
          resolve();
          await microtasks();
        }
        made.push(steps.splice(0).join(""));
      }
      return made;
    },
  };
}

describe("turns on the engine's thread", () => {
  it("go to guests once a round, one after the other, so that a newcomer waits for one step", async () => {
    const { compute, rounds } = makeThread();
    for (const name of ["a", "b", "c"]) void compute(name, GUEST, 100);
    const made = await rounds(20);
    expect(made.every((round) => round.length <= 1)).toBe(true);
    expect(made.join("")).toMatch(/^(abc){4,}/);
  });

  it("go to guests once in five while owners compute, and to guests alone afterwards", async () => {
    const { compute, rounds } = makeThread();
    void compute("g", GUEST, 10);
    void compute("o", OWNER, 20);
    const made = (await rounds(60)).join("");
    expect(made.slice(0, made.lastIndexOf("o"))).toMatch(/^g?(o{4,6}g)*o*$/);
    expect([made.split("o").length - 1, made.split("g").length - 1]).toEqual([20, 10]);
  });

  it("go to a guest that holds what an owner waits for", async () => {
    const { turns, compute, rounds } = makeThread();
    let isFree = false;
    void compute("g", GUEST, 5).then(() => (isFree = true));
    const taken = turns.run(OWNER, ({ until }) => until(() => (isFree ? "taken" : undefined)));
    expect((await rounds(10)).join("")).toBe("ggggg");
    expect(await taken).toBe("taken");
  });

  it("end in the next round after an abort, and others continue", async () => {
    const { turns, compute, rounds } = makeThread();
    const reason = new Error("given up");
    const controller = new AbortController();
    const { signal } = controller;
    const waits = (isGuest: boolean, wait: (turn: Turn) => Promise<unknown>) => turns.run({ isGuest, signal }, wait);
    const never = ({ until }: Turn) => until(() => undefined);
    const endless = async ({ next }: Turn) => {
      for (;;) await next();
    };
    const outcomes = Promise.allSettled([waits(true, never), waits(false, never), waits(true, endless), waits(false, endless)]);
    void compute("g", GUEST, 2);
    void compute("o", OWNER, 2);
    await rounds(3);
    controller.abort(reason);
    await rounds(1);
    expect((await outcomes).map((outcome) => outcome.status === "rejected" && outcome.reason)).toEqual(
      Array.from({ length: 4 }, () => reason),
    );
    await rounds(5);
    await expect(turns.run({ isGuest: false, signal }, async () => 1)).rejects.toBe(reason);
    void compute("g", GUEST, 1);
    expect((await rounds(3)).join("")).toBe("g");
  });
});
