/** One process at a time works on a data folder, and the lock of one that is gone keeps nobody out. */
import { readdir, readFile, readlink, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FolderLockedError, lockFolder } from "../../adapters/node/folder-lock.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

const lockOf = (dataFolder: string): string => join(dataFolder, "lock");

/** A process that runs, and not on this folder: the one that runs the tests. */
const OTHER_PID = process.pid;

/** As locks name it. */
const PLACE = `${(await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim()} ${await readlink("/proc/self/ns/pid")}`;

const neverLost = (): void => {
  throw new Error("the lock is lost");
};

describe("the lock of a data folder", () => {
  it("a second process is refused with a reason, and the first goes on", async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder });
    const second = spawnServer({ dataFolder });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.log()).toContain("Sandpiper cannot start: ");
    expect(second.log()).toContain(`the data folder ${dataFolder} is in use by process ${first.pid}`);
    expect(second.log().trim().split("\n")).toHaveLength(1);
    expect((await fetch(`${first.origin}/health`)).status).toBe(200);
    expect(await first.stop()).toBe(0);
  });

  it("a stop gives the folder free", async () => {
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder });
    expect(await server.stop()).toBe(0);
    await expect(readFile(lockOf(dataFolder))).rejects.toThrow("ENOENT");
  });

  const GONE: readonly (readonly [what: string, content: string])[] = [
    ["of a process that is gone", "2147483647\nboot\n1\n"],
    ["whose number another process has by now", `${OTHER_PID}\n${PLACE}\n1\n`],
    ["of a process before the machine's last start", `${OTHER_PID}\nan-earlier-boot\n1\n`],
    ["that a crash left empty", ""],
    ["that holds something else", "someone\nelse\n"],
  ];

  // Together: to see that nobody is there takes seconds.
  it(`is taken over where it is one ${GONE.map(([what]) => what).join(", or one ")}`, async () => {
    await Promise.all(
      GONE.map(async ([what, content]) => {
        const dataFolder = await tempFolder();
        await writeFile(lockOf(dataFolder), content);
        const lock = await lockFolder(dataFolder, neverLost);
        expect([what, (await readFile(lockOf(dataFolder), "utf8")).split("\n")[0]]).toEqual([what, String(process.pid)]);
        expect(await readdir(dataFolder)).toEqual(["lock"]);
        await lock.release();
        expect(await readdir(dataFolder)).toEqual([]);
      }),
    );
  });

  it("keeps others out for a process that cannot be seen from here, as in another container, while that shows that it is there", async () => {
    const dataFolder = await tempFolder();
    await writeFile(lockOf(dataFolder), `1\n${PLACE}-of-another-container\n1\n`);
    const beat = setInterval(() => void utimes(lockOf(dataFolder), new Date(), new Date()), 1000);
    onTestFinished(() => clearInterval(beat));
    await expect(lockFolder(dataFolder, neverLost)).rejects.toThrow("is in use by process 1 of another container or machine");
    clearInterval(beat);
    const lock = await lockFolder(dataFolder, neverLost);
    await lock.release();
  });

  it("is taken over also where whoever did so before was killed meanwhile", async () => {
    const dataFolder = await tempFolder();
    for (const left of ["lock", "lock.next", "lock.next.next"]) await writeFile(join(dataFolder, left), `2147483647\n${PLACE}\n1\n`);
    const lock = await lockFolder(dataFolder, neverLost);
    expect(await readdir(dataFolder)).toEqual(["lock"]);
    await lock.release();
  });

  it("of another process is left alone by one that has lost it", async () => {
    const dataFolder = await tempFolder();
    const lock = await lockFolder(dataFolder, neverLost);
    await writeFile(lockOf(dataFolder), `1\n${PLACE}-of-another-container\n1\n`);
    await lock.release();
    expect(await readdir(dataFolder)).toEqual(["lock"]);
  });

  it("that another process has by now ends a program at once", async () => {
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder });
    const content = `1\n${PLACE}-of-another-container\n1\n`;
    await writeFile(lockOf(dataFolder), content);
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.log()).toContain("another process has taken the data folder");
    expect(await readFile(lockOf(dataFolder), "utf8")).toBe(content);
  });

  it("shows that its holder is there", async () => {
    const dataFolder = await tempFolder();
    const lock = await lockFolder(dataFolder, neverLost);
    await utimes(lockOf(dataFolder), 0, 0);
    await expect.poll(async () => (await stat(lockOf(dataFolder))).mtimeMs, { timeout: 10_000 }).toBeGreaterThan(0);
    await lock.release();
  });

  it("of a process that is gone goes to one of many that start at the same time", async () => {
    for (let round = 0; round < 40; round++) {
      const dataFolder = await tempFolder();
      await writeFile(lockOf(dataFolder), `2147483647\n${PLACE}\n1\n`);
      const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(dataFolder, neverLost)));
      const locks = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      expect(locks).toHaveLength(1);
      for (const outcome of outcomes) if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(FolderLockedError);
      for (const lock of locks) await lock.release();
      expect(await readdir(dataFolder)).toEqual([]);
    }
  });

  it("a killed process leaves a lock that the next one takes over", async () => {
    const dataFolder = await tempFolder();
    const killed = await startServer({ dataFolder });
    await killed.kill9();
    expect((await readFile(lockOf(dataFolder), "utf8")).split("\n")[0]).toBe(String(killed.pid));
    const next = await startServer({ dataFolder });
    expect(await next.stop()).toBe(0);
  });
});
