/** Work that nobody waits for gives way: on a busy machine the thread that calls this gets what the requests leave over. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** As `nice` has it: 0 is usual, 19 the least. */
const IN_THE_BACKGROUND = 10;

/** Where threads have no priority of their own, all stays as it is. */
export function giveWay(): void {
  try {
    // Linux counts threads like processes, and this link names the one that reads it: <process>/task/<thread>.
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, IN_THE_BACKGROUND);
  } catch {
    // Another system, or one without /proc.
  }
}
