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

/** Null if the content is incomplete. Earlier versions wrote files with one line per part, and another place. */
export function parseLockHolder(text: string): LockHolder | null {
  const [pidText = "", place = "", start = ""] = text.split(/\s/);
  const pid = Number(pidText);
  return Number.isInteger(pid) && pid > 0 ? { pid, place, start } : null;
}

export async function thisProcess(): Promise<LockHolder> {
  return { pid: process.pid, place: await placeOfThisProcess(), start: await startOf(process.pid) };
}

/** Whether the process runs. Its place has to be that of this process. */
export async function isAliveHere({ pid, start }: LockHolder): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const runningStart = await startOf(pid);
  // Without start times, our own pid belongs to an earlier process: a restarted container gives out the same pids.
  return start === "" || runningStart === "" ? pid !== process.pid : start === runningStart;
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

/** The field `starttime` of /proc/<pid>/stat (proc(5)); empty if unknown. */
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
