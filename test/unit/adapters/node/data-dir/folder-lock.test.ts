/** When a process counts as ended, from its line of /proc/<pid>/stat (proc(5)). */
import { expect, it } from "vitest";
import { parseProcessStatus } from "../../../../../adapters/node/data-dir/folder-lock.ts";

/** A line as Linux prints it. */
const lineOf = (name: string, state: string, threads: number): string =>
  `19574 (${name}) ${state} 1 19563 9902 0 -1 4227084 91 0 1 0 0 0 0 0 20 0 ${threads} 0 3369482 0 0 18446744073709551615 0 0`;

const CASES: readonly (readonly [what: string, line: string, hasEnded: boolean])[] = [
  ["a running process", lineOf("node", "R", 11), false],
  ["a sleeping process", lineOf("node", "S", 1), false],
  ["a stopped process", lineOf("node", "T", 11), false],
  ["a process that waits for the disk", lineOf("node", "D", 1), false],
  ["a zombie", lineOf("node", "Z", 1), true],
  ["a dead process", lineOf("node", "X", 0), true],
  ["a zombie one of whose threads still runs", lineOf("node", "Z", 2), false],
  ["a running process whose name looks like a zombie's line", lineOf("a) Z 1 (b", "R", 1), false],
];

it.each(CASES)(
  "the lock holder: %s is read with its start time, and has ended if it is a zombie without further threads",
  (_what, line, hasEnded) => {
    expect(parseProcessStatus(line)).toEqual({ start: "3369482", hasEnded });
  },
);

it("the lock holder: without /proc, no start time is known and no process has ended", () => {
  expect(parseProcessStatus("")).toEqual({ start: "", hasEnded: false });
});
