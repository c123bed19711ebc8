/** Shared tasks of a site run beside each other, exclusive ones alone, all in the order in which they were asked for. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SiteLocks } from "../../../src/storage/site-locks.ts";
import { createDeferred } from "../../support/deferred.ts";
import { siteId } from "../../support/stored-event.ts";

const [A, B] = [siteId("a.test"), siteId("b.test")];

describe("the locks of sites", () => {
  it("shared tasks run beside each other, and an exclusive one waits for them and keeps later ones waiting", async () => {
    const locks = new SiteLocks();
    const begun: string[] = [];
    const [first, second, alone] = [createDeferred<void>(), createDeferred<void>(), createDeferred<void>()];
    const task = (name: string, end: Promise<void>) => async () => {
      begun.push(name);
      await end;
    };
    const all = [
      locks.share(A, task("first", first.promise)),
      locks.share(A, task("second", second.promise)),
      locks.run(A, task("alone", alone.promise)),
      locks.share(A, task("last", Promise.resolve())),
      locks.run(B, task("other site", Promise.resolve())),
    ];
    await all[4];
    expect(begun).toEqual(["first", "second", "other site"]);
    second.resolve();
    await all[1];
    expect(begun).toHaveLength(3);
    first.resolve();
    await all[0];
    await expect.poll(() => begun.at(-1)).toBe("alone");
    alone.resolve();
    await all[3];
    expect(begun).toEqual(["first", "second", "other site", "alone", "last"]);
  });

  it("a task that fails rejects its caller alone", async () => {
    const locks = new SiteLocks();
    const failed = locks.run(A, () => Promise.reject(new Error("told to fail")));
    const shared = locks.share(A, () => Promise.reject(new Error("told to fail, too")));
    const later = locks.run(A, async () => "done");
    await expect(failed).rejects.toThrow("told to fail");
    await expect(shared).rejects.toThrow("told to fail, too");
    expect(await later).toBe("done");
  });

  it("no exclusive task ever runs beside another one of its site, and every task runs", async () => {
    const step = fc.record({ isShared: fc.boolean(), turns: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const locks = new SiteLocks();
        const running = { shared: 0, exclusive: 0 };
        const done = await Promise.all(
          steps.map(({ isShared, turns }) =>
            locks[isShared ? "share" : "run"](A, async () => {
              const kind = isShared ? "shared" : "exclusive";
              running[kind]++;
              expect(running.exclusive === 0 || (running.exclusive === 1 && running.shared === 0)).toBe(true);
              for (let turn = 0; turn < turns; turn++) await Promise.resolve();
              running[kind]--;
              return true;
            }),
          ),
        );
        expect(done).toHaveLength(steps.length);
      }),
    );
  });
});
