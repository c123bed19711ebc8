/** One process at a time uses a data folder, and the lock of a dead process does not block the next one. */
import { lstat, lutimes, readdir, readFile, readlink, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { FolderLockedError, lockFolder } from "../../adapters/node/data-dir/folder-lock.ts";
import { MAIN_PATH } from "../support/built.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import { makeTempFolder, removeFolder, tempFolder } from "../support/temp-folder.ts";

const lockOf = (dataFolder: string): string => join(dataFolder, "lock");

/** A process that runs, and not on this folder: the one that runs the tests. */
const OTHER_PID = process.pid;

/** Where its number counts, as the program's locks name it. */
let place: string;
beforeAll(async () => {
  const folder = await makeTempFolder();
  const lock = await lockFolder(folder, neverLost);
  place = (await readlink(lockOf(folder))).split(" ")[1] ?? "";
  await lock.release();
  await removeFolder(folder);
});

const neverLost = (): void => {
  throw new Error("the lock is lost");
};

/** Makes the lock another's, as one does that replaces it. */
async function giveTo(dataFolder: string, content: string): Promise<void> {
  await symlink(content, join(dataFolder, "other"));
  await rename(join(dataFolder, "other"), lockOf(dataFolder));
}

const NO_PROC = process.platform === "linux" ? null : "the states of processes are read from /proc";

/** The state of a process as in proc(5), e.g. `Z`. */
const stateOf = async (pid: number): Promise<string | undefined> => /\) (\S)/.exec(await readFile(`/proc/${pid}/stat`, "utf8"))?.[1];

/** Starts a program in the background and becomes a process that never waits for it. */
const NEGLIGENT_PARENT = ["/bin/sh", "-c", '"$0" "$@" & exec sleep 1000'];

describe("the folder lock", () => {
  it("the folder lock prevents the start of a second process with a message that names the first, which keeps serving", async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder });
    const second = spawnServer({ dataFolder });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.log()).toContain("sandpiper cannot start: ");
    expect(second.log()).toContain(`the data folder ${dataFolder} is in use by process ${first.pid}`);
    expect(second.log().trim().split("\n")).toHaveLength(1);
    expect((await fetch(`${first.origin}/health`)).status).toBe(200);
    expect(await first.stop()).toBe(0);
  });

  it("the folder lock is removed when the program stops", async () => {
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder });
    expect(await server.stop()).toBe(0);
    await expect(readlink(lockOf(dataFolder))).rejects.toThrow("ENOENT");
  });

  const GONE: readonly (readonly [what: string, content: () => string, form: "link" | "file"])[] = [
    ["of a process that no longer runs", () => `2147483647 ${place} 1`, "link"],
    ["whose process id now belongs to another process", () => `${OTHER_PID} ${place} 1`, "link"],
    ["of a process from before the last boot", () => `${OTHER_PID} an-earlier-boot 1`, "link"],
    ["that an earlier version left as a file", () => "2147483647\nboot pid:[4026531836]\n1\n", "file"],
    ["stored as a file because the file system has no links", () => `2147483647 ${place} 1`, "file"],
    ["that a crash left empty", () => "", "file"],
    ["whose content a power loss has cleared", () => "\0".repeat(30), "file"],
    ["with unknown content", () => "someone else", "link"],
  ];

  // In parallel, because it takes seconds to decide that the owner is dead.
  it(`the folder lock is replaced when it is one ${GONE.map(([what]) => what).join(", or one ")}`, async () => {
    await Promise.all(
      GONE.map(async ([what, content, form]) => {
        const dataFolder = await tempFolder();
        if (form === "link") await symlink(content(), lockOf(dataFolder));
        else await writeFile(lockOf(dataFolder), content());
        const lock = await lockFolder(dataFolder, neverLost);
        expect([what, (await readlink(lockOf(dataFolder))).split(" ")[0]]).toEqual([what, String(process.pid)]);
        expect(await readdir(dataFolder)).toEqual(["lock"]);
        await lock.release();
        expect(await readdir(dataFolder)).toEqual([]);
      }),
    );
  });

  it("the folder lock is not taken if a foreign file has its name, and that file stays unchanged", async () => {
    const dataFolder = await tempFolder();
    await writeFile(lockOf(dataFolder), "the combination of my bicycle");
    await expect(lockFolder(dataFolder, neverLost)).rejects.toThrow(`${lockOf(dataFolder)} is not Sandpiper's. Move it away`);
    expect(await readFile(lockOf(dataFolder), "utf8")).toBe("the combination of my bicycle");
  });

  it.each(["link", "file"])(
    "the folder lock stays with a process of another container for as long as that process updates its time stamp (stored as a %s)",
    async (form) => {
      const dataFolder = await tempFolder();
      const content = `1 ${place}-of-another-container 1`;
      if (form === "link") await symlink(content, lockOf(dataFolder));
      else await writeFile(lockOf(dataFolder), content);
      const show = form === "link" ? lutimes : utimes;
      let shown = Promise.resolve();
      const beat = setInterval(() => {
        shown = show(lockOf(dataFolder), new Date(), new Date());
      }, 1000);
      onTestFinished(() => clearInterval(beat));
      await expect(lockFolder(dataFolder, neverLost)).rejects.toThrow("is in use by process 1 of another container or machine");
      clearInterval(beat);
      await shown;
      const lock = await lockFolder(dataFolder, neverLost);
      await lock.release();
    },
  );

  it("the folder lock is replaced even if an earlier process was killed while it replaced the lock", async () => {
    const dataFolder = await tempFolder();
    for (const left of ["lock", "lock.next", "lock.next.next"]) await symlink(`2147483647 ${place} 1`, join(dataFolder, left));
    const lock = await lockFolder(dataFolder, neverLost);
    expect(await readdir(dataFolder)).toEqual(["lock"]);
    await lock.release();
  });

  it("the folder lock is not removed by a process that has lost it to another one", async () => {
    const dataFolder = await tempFolder();
    const lock = await lockFolder(dataFolder, neverLost);
    await giveTo(dataFolder, `1 ${place}-of-another-container 1`);
    await lock.release();
    expect(await readdir(dataFolder)).toEqual(["lock"]);
  });

  it("the folder lock ends the program at once when another process has replaced it", async () => {
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder });
    const content = `1 ${place}-of-another-container 1`;
    await giveTo(dataFolder, content);
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.log()).toContain("another process has taken the data folder");
    expect(await readlink(lockOf(dataFolder))).toBe(content);
  });

  it("the folder lock has its time stamp updated by the process that holds it", async () => {
    const dataFolder = await tempFolder();
    const lock = await lockFolder(dataFolder, neverLost);
    await lutimes(lockOf(dataFolder), 0, 0);
    await expect.poll(async () => (await lstat(lockOf(dataFolder))).mtimeMs).toBeGreaterThan(0);
    await lock.release();
  });

  it("the folder lock of a dead process goes to exactly one of many callers that acquire it at the same time", async () => {
    for (let round = 0; round < 40; round++) {
      const dataFolder = await tempFolder();
      await symlink(`2147483647 ${place} 1`, lockOf(dataFolder));
      const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(dataFolder, neverLost)));
      const locks = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      expect(locks).toHaveLength(1);
      for (const outcome of outcomes) if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(FolderLockedError);
      for (const lock of locks) await lock.release();
      expect(await readdir(dataFolder)).toEqual([]);
    }
  });

  it("the folder lock of a killed process is replaced by the next one", async () => {
    const dataFolder = await tempFolder();
    const killed = await startServer({ dataFolder });
    await killed.kill9();
    expect((await readlink(lockOf(dataFolder))).split(" ")[0]).toBe(String(killed.pid));
    const next = await startServer({ dataFolder });
    expect(await next.stop()).toBe(0);
  });

  it("the folder lock of a killed process whose parent does not wait for it is replaced by the next one", skippedFor(NO_PROC), async () => {
    const dataFolder = await tempFolder();
    const parent = await startServer({ dataFolder, command: [...NEGLIGENT_PARENT, process.execPath, MAIN_PATH] });
    onTestFinished(() => parent.kill9());
    const pid = Number((await readlink(lockOf(dataFolder))).split(" ")[0]);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => stateOf(pid)).toBe("Z");
    const next = await startServer({ dataFolder });
    expect(await stateOf(pid)).toBe("Z");
    expect(await next.stop()).toBe(0);
  });

  it("the folder lock of a stopped process prevents the start of another one", skippedFor(NO_PROC), async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder });
    onTestFinished(() => first.kill9());
    process.kill(first.pid, "SIGSTOP");
    await expect.poll(() => stateOf(first.pid)).toBe("T");
    const second = spawnServer({ dataFolder });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.log()).toContain(`is in use by process ${first.pid}`);
    process.kill(first.pid, "SIGCONT");
    expect((await fetch(`${first.origin}/health`)).status).toBe(200);
  });
});
