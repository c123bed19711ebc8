/** Exactly one of many processes that start on a data folder at the same time acquires its lock, also on a full disk and after kills. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { seedFrom } from "../support/number-from-environment.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { skippedFor } from "../support/skipped.ts";
import { NO_SMALL_DISK, smallDisk } from "../support/small-disk.ts";
import { makeTempFolder, removeFolder, tempFolder } from "../support/temp-folder.ts";

interface Contender {
  readonly child: ChildProcess;
  say(line: string): void;
  /** The next line that it prints; null when it ends before. */
  heard(): Promise<string | null>;
}

let programs: string;
let program: string;
beforeAll(async () => {
  programs = await makeTempFolder();
  program = join(programs, "contender.mjs");
  const entry = new URL("../support/lock-contender.ts", import.meta.url).pathname;
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile: program, logLevel: "warning" });
});
afterAll(() => removeFolder(programs));

async function startContender(): Promise<Contender> {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const contender: Contender = {
    child,
    say: (line) => void child.stdin.write(`${line}\n`),
    async heard() {
      const line = await lines.next();
      return line.done === true ? null : line.value;
    },
  };
  expect(await contender.heard()).toBe("ready");
  return contender;
}

const contenders = (count: number): Promise<Contender[]> => Promise.all(Array.from({ length: count }, startContender));

/** What each says of the folder, which all are told of at the same moment. */
async function contend(all: readonly Contender[], folder: string): Promise<(string | null)[]> {
  const answers = all.map((contender) => contender.heard());
  for (const contender of all) contender.say(folder);
  return Promise.all(answers);
}

async function release(contender: Contender | undefined): Promise<void> {
  const answer = contender?.heard();
  contender?.say("release");
  expect(await answer).toBe("released");
}

/** The lock of a machine that is not this one. */
const LEFT = "2147483647 elsewhere 1";

/** Leaves a lock of this content, or none. */
async function leaveLock(folder: string, content: string | null, asFile: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (content === null) return;
  if (asFile) await writeFile(join(folder, "lock"), content);
  else await symlink(content, join(folder, "lock"));
}

const ROUNDS = 30;

/** The lock of a process that was killed, as one that runs here finds it. */
async function contentOfKilled(): Promise<string> {
  const folder = await tempFolder();
  const killed = await startContender();
  expect(await contend([killed], folder)).toEqual(["taken"]);
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  return readlink(join(folder, "lock"));
}

async function expectOneWinnerEach(folder: string, makeLeft: (round: number) => Promise<void>, rounds: number): Promise<void> {
  const all = await contenders(6);
  for (let round = 0; round < rounds; round++) {
    await makeLeft(round);
    const answers = await contend(all, folder);
    expect([...answers].sort(), `round ${round}`).toEqual(["refused", "refused", "refused", "refused", "refused", "taken"]);
    expect(await readdir(folder)).toEqual(["lock"]);
    await release(all[answers.indexOf("taken")]);
    expect(await readdir(folder)).toEqual([]);
  }
}

describe("the folder lock, when many processes start at the same time", () => {
  it("the lock goes to exactly one of many processes if there was none or a killed process left one", async () => {
    const folder = await tempFolder();
    const left = await contentOfKilled();
    await expectOneWinnerEach(folder, (round) => leaveLock(folder, round % 2 === 0 ? left : null, false), ROUNDS);
  });

  it("the lock goes to exactly one of many processes if another machine left a lock, or an earlier version or a crash left a lock file", async () => {
    const contents: readonly (readonly [string, boolean])[] = [
      [LEFT, false],
      [LEFT, true],
      ["", true],
    ];
    await Promise.all(
      contents.map(async ([content, asFile]) => {
        const folder = await tempFolder();
        await expectOneWinnerEach(folder, () => leaveLock(folder, content, asFile), 1);
      }),
    );
  });
});

describe("the folder lock, when many processes start at the same time on a full disk", skippedFor(NO_SMALL_DISK), () => {
  it("on a full disk, the lock goes to exactly one of many processes if there was none or a killed process left one", async () => {
    const disk = await smallDisk(1024);
    const left = await contentOfKilled();
    await disk.fill();
    await expectOneWinnerEach(disk.dataFolder, (round) => leaveLock(disk.dataFolder, round % 2 === 0 ? left : null, false), ROUNDS);
  });

  it("on a full disk, the lock goes to exactly one of many processes if an earlier version or a crash left a lock file", async () => {
    const disk = await smallDisk(1024);
    for (const content of [LEFT, ""]) await leaveLock(join(disk.dataFolder, String(content.length)), content, true);
    await disk.fill();
    await Promise.all([LEFT, ""].map((content) => expectOneWinnerEach(join(disk.dataFolder, String(content.length)), async () => {}, 1)));
  });

  it("on a full disk, the lock goes to exactly one of many processes for each of many folders with the lock file of a killed process", async () => {
    const disk = await smallDisk(1024);
    const left = await contentOfKilled();
    const folders = Array.from({ length: ROUNDS }, (_, i) => join(disk.dataFolder, String(i)));
    for (const folder of folders) await leaveLock(folder, left, true);
    await disk.fill();
    const all = await contenders(6);
    // None is released, so the disk stays full.
    for (const folder of folders)
      expect((await contend(all, folder)).sort()).toEqual(["refused", "refused", "refused", "refused", "refused", "taken"]);
  });

  it("on a full disk, the lock can still be acquired after processes were killed while they acquired it", async () => {
    const disk = await smallDisk(1024);
    await disk.fill();
    const random = numbersFrom(seedFrom("FAULT_SEED", 1));
    for (let round = 0; round < 8; round++) {
      const all = await contenders(3);
      const answers = contend(all, disk.dataFolder);
      for (const { child } of all) {
        // Between no step and all of them.
        for (let turns = random() * 40; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        child.kill("SIGKILL");
      }
      expect((await answers).filter((answer) => answer?.startsWith("failed"))).toEqual([]);
      await Promise.all(all.map(async ({ child }) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
    }
    const [last] = await contenders(1);
    if (!last) throw new Error("there is one");
    expect(await contend([last], disk.dataFolder)).toEqual(["taken"]);
    expect(await readdir(disk.dataFolder)).toEqual(["lock"]);
    await release(last);
  });
});
