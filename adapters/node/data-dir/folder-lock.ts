/**
 * The lock of a data folder: one process at a time works there.
 *
 * The lock is a symbolic link whose target is not a path but the identity of its holder. Creating a link is atomic, only one of many
 * processes succeeds, and a target this short is stored in the inode, so all of this works on a full disk. Where the file system has
 * no symbolic links, the lock is a file with the same content, which needs a block.
 *
 * A stale lock, whose holder no longer runs, is replaced in two steps. A process may die after each:
 * 1. It creates `lock.next` like any lock. Only the holder of `lock.next` may replace `lock`. If it dies now, both locks are stale,
 *    and `lock.next` is replaced in the same way with `lock.next.next`.
 * 2. It renames `lock.next` to `lock`, if `lock` is still the stale one. Nobody else may have changed it meanwhile. From then on it
 *    holds the folder, and no other lock exists.
 * So the folder has a lock at all times.
 */
import { createHash } from "node:crypto";
import { readFile, readlink, lstat, lutimes, open, rename, rm, symlink } from "node:fs/promises";
import { nameOwner, codeOf } from "../files/file-system.ts";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

interface LockHolder {
  readonly pid: number;
  /** The scope of the pid: a hash of the machine's boot id and, on Linux, the pid namespace of the container. */
  readonly place: string;
  /** The start time of the process in clock ticks since boot. Distinguishes it from a later process with the same pid. */
  readonly start: string;
}

/** File systems keep a link of up to 59 characters in its inode. With a pid and a start time this makes at most 40. */
const PLACE_CHARS = 16;

const textOf = ({ pid, place, start }: LockHolder): string => `${pid} ${place} ${start}`;

/** Returns null if the content is incomplete. */
function parseLockHolder(text: string): LockHolder | null {
  const [pidText = "", place = "", start = ""] = text.split(/\s/);
  const pid = Number(pidText);
  return Number.isInteger(pid) && pid > 0 ? { pid, place, start } : null;
}

async function thisProcess(): Promise<LockHolder> {
  return { pid: process.pid, place: await placeOfThisProcess(), start: (await statusOf(process.pid)).start };
}

/** True if the process runs. Its place must be that of this process. */
async function isAliveHere({ pid, start }: LockHolder): Promise<boolean> {
  const status = await statusOf(pid);
  if (status.hasEnded || !hasProcess(pid)) return false;
  // Without start times, our own pid belongs to an earlier process: a restarted container gives out the same pids.
  return start === "" || status.start === "" ? pid !== process.pid : start === status.start;
}

const orEmpty = (reading: Promise<string>): Promise<string> =>
  reading.then(
    (text) => text.trim(),
    () => "",
  );

async function placeOfThisProcess(): Promise<string> {
  const boot = await orEmpty(readFile("/proc/sys/kernel/random/boot_id", "utf8"));
  const container = await orEmpty(readlink("/proc/self/ns/pid"));
  return createHash("sha256").update(`${boot} ${container}`).digest("base64url").slice(0, PLACE_CHARS);
}

interface ProcessStatus {
  /** Empty if unknown. */
  readonly start: string;
  /** Only the exit code is left, which the parent has not read yet. */
  readonly hasEnded: boolean;
}

/** The states of /proc/<pid>/stat that a process does not leave: zombie and dead. A stopped one (`T`) may continue. */
const ENDED = ["Z", "X"];

/**
 * Reads the fields `state`, `num_threads` and `starttime` of /proc/<pid>/stat (proc(5)). A killed process can be a zombie while one
 * of its threads still finishes a write to the folder, so it has ended when it has no other thread.
 */
export function parseProcessStatus(text: string): ProcessStatus {
  // The second field, the name of the program, may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")")).split(" ");
  const [state = "", threads, start = ""] = [fields[1], fields[18], fields[20]];
  return { start, hasEnded: ENDED.includes(state) && Number(threads) <= 1 };
}

const statusOf = async (pid: number): Promise<ProcessStatus> => parseProcessStatus(await orEmpty(readFile(`/proc/${pid}/stat`, "utf8")));

/** Counts zombies as processes. */
function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const LOCK_FILE = "lock";

/** A holder updates the time of its lock this often. */
const HEARTBEAT_MS = 1000;

/** A start waits this long for the heartbeat of a holder on another machine or in another container. */
const WATCH_MS = 4000;

const NEXT = ".next";
const NEXT_LOCKS_MAX = 8;

const ATTEMPTS_MAX = 10;

/** The errors of file systems without symbolic links, or without times of their own for them. Windows requires a privilege. */
const NO_LINKS = ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

export class FolderLockedError extends Error {
  override readonly name = "FolderLockedError";
}

export interface FolderLock {
  release(): Promise<void>;
}

/** True if a holder that cannot be seen from here, or has not written its identity yet, updates the time of its lock. */
async function hasHeartbeat(path: string): Promise<boolean> {
  const { mtimeMs } = await lstat(path);
  for (let waitedMs = 0; waitedMs < WATCH_MS; waitedMs += HEARTBEAT_MS / 2) {
    await setTimeout(HEARTBEAT_MS / 2);
    if ((await lstat(path)).mtimeMs !== mtimeMs) return true;
  }
  return false;
}

async function sendHeartbeat(path: string): Promise<void> {
  const now = new Date();
  await lutimes(path, now, now);
}

/** Removes the file if a full disk truncates it: a lock without a holder would block every start. */
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

/** Rejects with EEXIST if there is a lock in either form. */
async function createLock(path: string, content: string): Promise<void> {
  let isLinked = false;
  try {
    await symlink(content, path);
    isLinked = true;
    await sendHeartbeat(path);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    if (isLinked) await rm(path, { force: true });
    await writeNew(path, content);
  }
}

async function readLock(path: string): Promise<string> {
  try {
    return await readlink(path);
  } catch (error) {
    // EINVAL: it is not a link. Windows reports UNKNOWN.
    if (!["EINVAL", "UNKNOWN"].includes(codeOf(error))) throw error;
    return readFile(path, "utf8");
  }
}

/** True if a power loss or a kill may have left this of a lock that is a file. */
const isUnwritten = (text: string): boolean => /^\0*$/.test(text);

/**
 * Creates the lock for `us`, or replaces a stale one. Only one process can replace it: the holder of the next lock, which becomes the
 * lock. Nobody else replaces it meanwhile, and its former holder cannot remove it any more. Rejects with ENOENT if it was removed
 * meanwhile.
 */
async function take(path: string, us: LockHolder, folder: string, nextLocksMax: number): Promise<void> {
  try {
    return await createLock(path, textOf(us));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const text = await readLock(path);
  const holder = parseLockHolder(text);
  if (!holder && !isUnwritten(text) && (await lstat(path)).isFile())
    throw new Error(`${path} is not Sandpiper's. Move it away, or use another folder`);
  if (holder?.place === us.place ? await isAliveHere(holder) : await hasHeartbeat(path)) throw lockedBy(holder, us, folder);
  if (nextLocksMax === 0) throw new Error(`${path} is a stale lock, whose process no longer runs. Remove it`);
  const next = path + NEXT;
  await take(next, us, folder, nextLocksMax - 1);
  const isStillStale = (await readLock(path).catch(() => null)) === text;
  if (isStillStale) return rename(next, path);
  await rm(next, { force: true });
  throw new FolderLockedError(`the data folder ${folder} was taken by another process that started at the same time`);
}

function lockedBy(holder: LockHolder | null, us: LockHolder, folder: string): FolderLockedError {
  const name = holder ? `process ${holder.pid}${holder.place === us.place ? "" : " of another container or machine"}` : "another process";
  return new FolderLockedError(`the data folder ${folder} is in use by ${name}. Stop that process first, or set another data_dir`);
}

/**
 * Takes the lock, also a stale one (its process was killed, or the machine restarted). `onLost` is called if another process has
 * taken the lock: this process was paused for longer than `WATCH_MS`, as a container can be, and must not continue.
 */
export async function lockFolder(folder: string, onLost: () => void): Promise<FolderLock> {
  const path = join(folder, LOCK_FILE);
  const us = await thisProcess();
  for (let attempt = 1; ; attempt++) {
    try {
      await take(path, us, folder, NEXT_LOCKS_MAX);
      break;
    } catch (error) {
      // Its holder released it at this moment.
      if (codeOf(error) !== "ENOENT" || attempt === ATTEMPTS_MAX) throw await nameOwner(error, path);
    }
  }
  return keepLock(path, textOf(us), onLost);
}

function keepLock(path: string, content: string, onLost: () => void): FolderLock {
  let isReleased = false;
  /** null if unknown, for example because somebody removed the lock by hand. */
  const isOurs = () =>
    readLock(path).then(
      (text) => text === content,
      () => null,
    );
  const check = async () => {
    const isLost = (await isOurs()) === false;
    if (isReleased) return;
    if (isLost) return onLost();
    await sendHeartbeat(path).catch(() => {
      // The next heartbeat tries again.
    });
  };
  const heartbeats = setInterval(() => void check(), HEARTBEAT_MS);
  heartbeats.unref();
  return {
    async release() {
      isReleased = true;
      clearInterval(heartbeats);
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}
