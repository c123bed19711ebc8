/** Identifies the process that holds a lock, and tells whether it still runs. */
import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";

/** The parts of a lock's content, separated by spaces. */
export interface LockHolder {
  readonly pid: number;
  /** The scope of the pid: a hash of the machine's boot id and, on Linux, the pid namespace of the container. */
  readonly place: string;
  /** The start time of the process in clock ticks since boot. Distinguishes it from a later process with the same pid. */
  readonly start: string;
}

/** File systems keep a link of up to 59 characters in its inode. With a pid and a start time this makes at most 40. */
const PLACE_CHARS = 16;

export const textOf = ({ pid, place, start }: LockHolder): string => `${pid} ${place} ${start}`;

/** null if the content is incomplete. Earlier versions wrote files with one line per part, and another place. */
export function parseLockHolder(text: string): LockHolder | null {
  const [pidText = "", place = "", start = ""] = text.split(/\s/);
  const pid = Number(pidText);
  return Number.isInteger(pid) && pid > 0 ? { pid, place, start } : null;
}

export async function thisProcess(): Promise<LockHolder> {
  return { pid: process.pid, place: await placeOfThisProcess(), start: (await statusOf(process.pid)).start };
}

/** True if the process runs. Its place has to be that of this process. */
export async function isAliveHere({ pid, start }: LockHolder): Promise<boolean> {
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

export interface ProcessStatus {
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
