/** The progress of a command: one line on a terminal, which is rewritten and at last removed, and nothing elsewhere. */
import { describe, expect, it } from "vitest";
import { createProgress } from "../../../../adapters/node/command-output.ts";

/** A stream that keeps what is written, and a clock that the test moves. */
function record(isTTY: boolean | undefined) {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const progress = createProgress({ isTTY, write: (text) => written.push(text) }, () => clock.nowMs);
  return { written, clock, progress };
}

const CLEAR = "\r\u001b[K";

describe("the progress", () => {
  it("rewrites one line with files and megabytes at most ten times a second, and removes it at the end", () => {
    const { written, clock, progress } = record(true);
    progress.begin("copying");
    for (let file = 1; file <= 1500; file++) {
      clock.nowMs += 1;
      progress.fileDone(2_000_000);
    }
    progress.end();
    expect(written[0]).toBe(`${CLEAR}copying: 0 files, 0 MB`);
    expect(written[1]).toBe(`${CLEAR}copying: 100 files, 200 MB`);
    expect(written.at(-2)).toBe(`${CLEAR}copying: 1,500 files, 3,000 MB`);
    expect(written.at(-1)).toBe(CLEAR);
    expect(written).toHaveLength(17);
  });

  it("shows the total number of files if a step knows it, and begins each step at zero", () => {
    const { written, clock, progress } = record(true);
    progress.begin("checking", 1234);
    clock.nowMs += 100;
    progress.fileDone(1);
    progress.begin("restoring", 2);
    expect(written).toEqual([
      `${CLEAR}checking: 0 of 1,234 files, 0 MB`,
      `${CLEAR}checking: 1 of 1,234 files, 0 MB`,
      `${CLEAR}restoring: 0 of 2 files, 0 MB`,
    ]);
  });

  it.each([false, undefined])("writes nothing if the output is not a terminal (isTTY %s)", (isTTY) => {
    const { written, progress } = record(isTTY);
    progress.begin("copying", 3);
    progress.fileDone(1);
    progress.end();
    expect(written).toEqual([]);
  });
});
