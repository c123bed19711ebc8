/** The priority of worker threads: no request waits for the work of some. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** A nice(2) value: 0 is normal, 19 the lowest priority. */
const NICE = 10;

/** Of the calling thread. Does nothing where threads have no priority of their own. */
export function lowerPriority(): void {
  try {
    // Linux gives threads ids like processes. This link of the calling thread ends in its own: <process>/task/<thread>.
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), NICE);
  } catch {
    // Another system, or one without /proc.
  }
}
