/** One process at a time works on a data folder. */
import { open, readFile, readlink, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const LOCK_FILE = "lock";

/** How often a holder shows that it is there, and how long one that cannot be seen is waited for to do so. */
const BEAT_MS = 1000;
const WATCH_MS = 4000;

/** A lock that nobody holds is replaced by whoever holds the lock of this name. It may have been left, too, and so on. */
const NEXT = ".next";
const NEXT_LOCKS_MAX = 3;

const ATTEMPTS_MAX = 3;

/** Refuses a folder that a running process holds. */
export class FolderLockedError extends Error {
  override readonly name = "FolderLockedError";
}

export interface FolderLock {
  release(): Promise<void>;
}

/** What a lock file says, a line each. */
interface Holder {
  readonly pid: number;
  /** Where that number counts: the machine's start and, on Linux, the container. Empty where the system does not say. */
  readonly place: string;
  /** When the process was started, in ticks since the machine was: tells it from another that got its number later. */
  readonly start: string;
}

const textOf = ({ pid, place, start }: Holder): string => `${pid}\n${place}\n${start}\n`;

/** Null where no process has written it to its end. */
function holderIn(text: string): Holder | null {
  const [pidText = "", place = "", start = ""] = text.split("\n");
  const pid = Number(pidText);
  return Number.isInteger(pid) && pid > 0 ? { pid, place, start } : null;
}

const orEmpty = (reading: Promise<string>): Promise<string> => reading.then((text) => text.trim(), () => "");

async function placeOfThisProcess(): Promise<string> {
  const boot = await orEmpty(readFile("/proc/sys/kernel/random/boot_id", "utf8"));
  return `${boot} ${await orEmpty(readlink("/proc/self/ns/pid"))}`.trim();
}

async function startOf(pid: number): Promise<string> {
  const status = await orEmpty(readFile(`/proc/${pid}/stat`, "utf8"));
  return status.slice(status.lastIndexOf(")")).split(" ")[20] ?? "";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function isAliveHere({ pid, start }: Holder): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const runningStart = await startOf(pid);
  // Without such times, this process' own number is that of an earlier life: containers give the same ones again.
  return start === "" || runningStart === "" ? pid !== process.pid : start === runningStart;
}

/** Whether whoever cannot be seen from here, or is just about to write its name, shows that it is there. */
async function isBeating(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path);
  for (let waitedMs = 0; waitedMs < WATCH_MS; waitedMs += BEAT_MS / 2) {
    await setTimeout(BEAT_MS / 2);
    if ((await stat(path)).mtimeMs !== mtimeMs) return true;
  }
  return false;
}

/** A lock that a full disk cuts short would be nobody's, and is taken back. */
async function writeNew(path: string, content: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(content);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

/**
 * Makes the file with our name in it. One that is there is replaced where its holder is gone, by one process only: whoever has
 * made the next file, which takes its place. Nobody else replaces it meanwhile, and its holder cannot remove it any more.
 * Rejects with ENOENT where it was removed meanwhile.
 */
async function take(path: string, us: Holder, folder: string, nextLocksMax: number): Promise<void> {
  try {
    return await writeNew(path, textOf(us));
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  }
  const text = await readFile(path, "utf8");
  const holder = holderIn(text);
  if (holder?.place === us.place ? await isAliveHere(holder) : await isBeating(path)) {
    const name = holder ? `process ${holder.pid}${holder.place === us.place ? "" : " of another container or machine"}` : "another process";
    throw new FolderLockedError(`the data folder ${folder} is in use by ${name}; stop that one first, or give this one another data_dir`);
  }
  const isStillLeft = async () => (await readFile(path, "utf8").catch(() => null)) === text;
  if (nextLocksMax === 0) throw new Error(`${path} was left by a process that is gone; it can be removed`);
  const next = path + NEXT;
  try {
    await take(next, us, folder, nextLocksMax - 1);
  } catch (error) {
    if (!isCode(error, "ENOSPC")) throw error;
    // On a full disk there is only the room that this one leaves.
    if (await isStillLeft()) await rm(path, { force: true });
    return take(path, us, folder, nextLocksMax - 1);
  }
  if (await isStillLeft()) return rename(next, path);
  await rm(next, { force: true });
  throw new FolderLockedError(`the data folder ${folder} was taken by another process that started at the same time`);
}

/**
 * Takes the lock; a lock whose holder is gone (killed, or the machine restarted) is taken over. `onLost` is called when it is
 * another's: this process was stopped for longer than others watch, as a container can be, and must not go on.
 */
export async function lockFolder(folder: string, onLost: () => void): Promise<FolderLock> {
  const path = join(folder, LOCK_FILE);
  const us = { pid: process.pid, place: await placeOfThisProcess(), start: await startOf(process.pid) };
  for (let attempt = 1; ; attempt++) {
    try {
      await take(path, us, folder, NEXT_LOCKS_MAX);
      break;
    } catch (error) {
      // Its holder has stopped just now.
      if (!isCode(error, "ENOENT") || attempt === ATTEMPTS_MAX) throw error;
    }
  }
  let isReleased = false;
  /** Null where nobody can tell, as when somebody has removed the file by hand. */
  const isOurs = () => readFile(path, "utf8").then((text) => text === textOf(us), () => null);
  const beat = setInterval(async () => {
    const isLost = (await isOurs()) === false;
    if (isReleased) return;
    if (isLost) return onLost();
    const now = new Date();
    await utimes(path, now, now).catch(() => {
      // The next one tries again.
    });
  }, BEAT_MS);
  beat.unref();
  return {
    async release() {
      isReleased = true;
      clearInterval(beat);
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}
