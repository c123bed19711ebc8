/** Passwords are hashed one at a time, owners' first, and no network's keep another's out. */
import { describe, expect, it } from "vitest";
import { PasswordQueue, type PasswordSource } from "../../../../src/runtime/access/password-queue.ts";
import { PASSWORD_CHECKS_WAITING_MAX, SHARE_PASSWORDS_WAITING_MAX } from "../../../../src/runtime/base/config/admin-limits.ts";
import { createDeferred } from "../../../support/deferred.ts";

const { signal } = new AbortController();

/** A queue whose first task runs until `release`, and the names of those that ran since. */
function createBusy() {
  const queue = new PasswordQueue();
  const first = createDeferred<void>();
  const ran: string[] = [];
  const running = queue.run(() => first.promise, { source: "login", address: "192.0.2.1", signal });
  return {
    ran,
    /** Its outcome: `done`, or the code of the refusal. */
    add: (name: string, source: PasswordSource, address?: string, ends = new AbortController().signal): Promise<string> =>
      queue
        .run(async () => (ran.push(name), "done"), { source, signal: ends, ...(address !== undefined && { address }) })
        .catch((error: unknown) => (error as { failure?: { code: string } }).failure?.code ?? String(error)),
    async release(): Promise<void> {
      first.resolve();
      await running;
    },
  };
}

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe("the password queue", () => {
  it("runs one task at a time: owners' before logins, logins before those of share links, each in order of arrival", async () => {
    const { add, ran, release } = createBusy();
    const outcomes = [
      add("share 1", "share", "192.0.2.1"),
      add("share 2", "share", "192.0.2.1"),
      add("login 1", "login", "192.0.2.1"),
      add("owner", "owner"),
      add("login 2", "login", "192.0.2.1"),
    ];
    expect(ran).toEqual([]);
    await release();
    expect(await Promise.all(outcomes)).toEqual(times(5, () => "done"));
    expect(ran).toEqual(["owner", "login 1", "login 2", "share 1", "share 2"]);
  });

  it("reserves places for share links, apart from those of logins", async () => {
    const { add, ran, release } = createBusy();
    const shares = times(SHARE_PASSWORDS_WAITING_MAX + 1, (i) => add("share", "share", `192.0.2.${i}`));
    expect(await shares.at(-1)).toBe("too_many_requests");
    const logins = times(PASSWORD_CHECKS_WAITING_MAX, () => add("login", "login", "192.0.2.1"));
    await release();
    await Promise.all([...shares, ...logins]);
    expect(ran).toEqual([...times(PASSWORD_CHECKS_WAITING_MAX, () => "login"), ...times(SHARE_PASSWORDS_WAITING_MAX, () => "share")]);
  });

  it.each<[PasswordSource, number]>([
    ["login", PASSWORD_CHECKS_WAITING_MAX],
    ["share", SHARE_PASSWORDS_WAITING_MAX],
  ])("%s: a newcomer displaces the latest of the network that holds most of the %i places", async (source, places) => {
    const { add, ran, release } = createBusy();
    const guesses = times(places, (i) => add(`guess ${i}`, source, i % 2 === 0 ? `203.0.113.${i}` : `2001:db8:${i}::1`));
    const right = add("right", source, "198.51.100.7");
    expect(await guesses.at(-1)).toBe("too_many_requests");
    await release();
    expect(await right).toBe("done");
    expect(ran).toHaveLength(places);
    expect(ran).toContain("right");
  });

  it("refuses a newcomer whose network would hold as many as the others", async () => {
    const { add, release } = createBusy();
    const waiting = times(PASSWORD_CHECKS_WAITING_MAX, (i) => add("waits", "login", `10.${i}.0.1`));
    expect(await add("late", "login", "192.0.2.1")).toBe("too_many_requests");
    await release();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["done"]));
  });

  it("gives the place of an aborted task to another, and does not start it", async () => {
    const { add, ran, release } = createBusy();
    const controller = new AbortController();
    const waiting = times(PASSWORD_CHECKS_WAITING_MAX, () => add("given up", "login", "192.0.2.1", controller.signal));
    controller.abort(new Error("too late"));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["Error: too late"]));
    const next = add("next", "login", "192.0.2.1");
    await release();
    expect(await next).toBe("done");
    expect(ran).toEqual(["next"]);
  });

  it("continues after a task that fails, whose caller gets the error", async () => {
    const queue = new PasswordQueue();
    const turn = { source: "owner", signal } as const;
    const failing = queue.run(async () => Promise.reject(new Error("broken")), turn);
    const next = queue.run(async () => "done", turn);
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("done");
  });
});
