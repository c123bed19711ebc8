/** One process at a time works on a data folder, and the lock of one that is gone keeps nobody out. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spawnServer, startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

const lockOf = (dataFolder: string): string => join(dataFolder, "lock");

/** A process that runs, and not on this folder: the one that runs the tests. */
const OTHER_PID = process.pid;

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

  it.each([
    ["of a process that is gone", "2147483647\nboot 1\n"],
    ["whose number another process has by now", `${OTHER_PID}\nan-earlier-boot 1\n`],
    ["that a crash left empty", ""],
    ["that holds something else", "someone\nelse\n"],
  ])("a lock %s is taken over", async (_, content) => {
    const dataFolder = await tempFolder();
    await writeFile(lockOf(dataFolder), content);
    const server = await startServer({ dataFolder });
    expect((await readFile(lockOf(dataFolder), "utf8")).split("\n")[0]).toBe(String(server.pid));
    expect(await server.stop()).toBe(0);
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
