/**
 * One process at a time works on a data folder: the one that the lock names.
 *
 * The lock is a symbolic link whose target is the holder's name; it leads nowhere. A link is made with its content at once or
 * not at all, exactly one of many can make it, and one this short lies in its inode: it takes no block, so all of this works
 * on a full disk, too. Where the file system has no links it is a file with the same content, which takes a block.
 *
 * A lock whose holder is gone is replaced in two steps, and a process may die after each:
 * 1. `lock.next` is made as any lock is. Only its holder may replace `lock`. Who dies now leaves two locks, of which the
 *    second is replaced in the same way by way of `lock.next.next`.
 * 2. It is renamed to `lock` if that is still the one that was found left, which nobody else may have changed meanwhile. From
 *    then on the folder is the new holder's, and no other lock is there.
 * The folder has a lock all the time.
 */
import { createHash } from "node:crypto";
import { lstat, lutimes, open, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const LOCK_FILE = "lock";

/** How often a holder shows that it is there, and how long one that cannot be seen is waited for to do so. */
const BEAT_MS = 1000;
const WATCH_MS = 4000;

/** A lock that nobody holds is replaced by whoever holds the lock of this name. It may have been left, too, and so on. */
const NEXT = ".next";
const NEXT_LOCKS_MAX = 8;

const ATTEMPTS_MAX = 10;

/** What a file system without symbolic links, or without times of their own, says of them; Windows asks for a privilege. */
const NO_LINKS = ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

/** Refuses a folder that a running process holds. */
export class FolderLockedError extends Error {
  override readonly name = "FolderLockedError";
}

export interface FolderLock {
  release(): Promise<void>;
}

/** Whom a lock names: the parts, with spaces between them. */
interface Holder {
  readonly pid: number;
  /** Where that number counts: the machine's start and, on Linux, the container, as a hash, which is short. */
  readonly place: string;
  /** When the process was started, in ticks since the machine was: tells it from another that got its number later. */
  readonly start: string;
}

const textOf = ({ pid, place, start }: Holder): string => `${pid} ${place} ${start}`;

/** Null where no process has written it to its end. Files of earlier versions have a line for each part, and another place. */
function holderIn(text: string): Holder | null {
  const [pidText = "", place = "", start = ""] = text.split(/\s/);
  const pid = Number(pidText);
  return Number.isInteger(pid) && pid > 0 ? { pid, place, start } : null;
}

const orEmpty = (reading: Promise<string>): Promise<string> =>
  reading.then(
    (text) => text.trim(),
    () => "",
  );

/** File systems keep a link of up to 59 characters in its inode; with a process' number and start this makes 40 at the most. */
const PLACE_CHARS = 16;

async function placeOfThisProcess(): Promise<string> {
  const boot = await orEmpty(readFile("/proc/sys/kernel/random/boot_id", "utf8"));
  const container = await orEmpty(readlink("/proc/self/ns/pid"));
  return createHash("sha256").update(`${boot} ${container}`).digest("base64url").slice(0, PLACE_CHARS);
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
  const { mtimeMs } = await lstat(path);
  for (let waitedMs = 0; waitedMs < WATCH_MS; waitedMs += BEAT_MS / 2) {
    await setTimeout(BEAT_MS / 2);
    if ((await lstat(path)).mtimeMs !== mtimeMs) return true;
  }
  return false;
}

const isCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes((error as NodeJS.ErrnoException).code ?? "");

/** Shows that the holder is there. */
async function beat(path: string): Promise<void> {
  const now = new Date();
  await lutimes(path, now, now);
}

/** A file that a full disk cuts short would be nobody's, and is taken back. */
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

/** Rejects with EEXIST where there is one, in either form. */
async function makeLock(path: string, content: string): Promise<void> {
  let isMade = false;
  try {
    await symlink(content, path);
    isMade = true;
    await beat(path);
  } catch (error) {
    if (!isCode(error, ...NO_LINKS)) throw error;
    if (isMade) await rm(path, { force: true });
    await writeNew(path, content);
  }
}

/** The content of a lock in either form. Earlier versions left files. */
async function readLock(path: string): Promise<string> {
  try {
    return await readlink(path);
  } catch (error) {
    // EINVAL: it is no link. Windows has no name for that.
    if (!isCode(error, "EINVAL", "UNKNOWN")) throw error;
    return readFile(path, "utf8");
  }
}

/**
 * Makes the lock with our name in it. One that is there is replaced where its holder is gone, by one process only: whoever has
 * made the next lock, which takes its place. Nobody else replaces it meanwhile, and its holder cannot remove it any more.
 * Rejects with ENOENT where it was removed meanwhile.
 */
async function take(path: string, us: Holder, folder: string, nextLocksMax: number): Promise<void> {
  try {
    return await makeLock(path, textOf(us));
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  }
  const text = await readLock(path);
  const holder = holderIn(text);
  if (holder?.place === us.place ? await isAliveHere(holder) : await isBeating(path)) {
    const name = holder ? `process ${holder.pid}${holder.place === us.place ? "" : " of another container or machine"}` : "another process";
    throw new FolderLockedError(`the data folder ${folder} is in use by ${name}; stop that one first, or give this one another data_dir`);
  }
  if (nextLocksMax === 0) throw new Error(`${path} was left by a process that is gone; it can be removed`);
  const next = path + NEXT;
  await take(next, us, folder, nextLocksMax - 1);
  const isStillLeft = (await readLock(path).catch(() => null)) === text;
  if (isStillLeft) return rename(next, path);
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
  const isOurs = () =>
    readLock(path).then(
      (text) => text === textOf(us),
      () => null,
    );
  const beatOnce = async () => {
    const isLost = (await isOurs()) === false;
    if (isReleased) return;
    if (isLost) return onLost();
    await beat(path).catch(() => {
      // The next one tries again.
    });
  };
  const beats = setInterval(() => void beatOnce(), BEAT_MS);
  beats.unref();
  return {
    async release() {
      isReleased = true;
      clearInterval(beats);
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}
