/** The priority of worker threads: where processor time is scarce, the thread that ingests events goes first. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** Values of nice(2): 0 is normal, 19 the lowest priority. */
const NICE = {
  /** A request waits for it. */
  query: 5,
  /** No request waits for it. */
  background: 10,
};

/** Applies to the calling thread. Does nothing on systems whose threads have no priority of their own. */
export function lowerPriority(work: keyof typeof NICE): void {
  try {
    // Linux gives threads ids like processes. This link of the calling thread ends in its own: <process>/task/<thread>.
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), NICE[work]);
  } catch {
    // Another system, or one without /proc.
  }
}
