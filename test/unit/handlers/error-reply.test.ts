/** Requests that fail for one reason, with a clock of the test's own. */
import { describe, expect, it } from "vitest";
import { FailureLog } from "../../../src/handlers/error-reply.ts";
import { FAILURE_REASONS_MAX, FAILURE_REPEATED_MS } from "../../../src/runtime/base/config/limits.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

function make() {
  const clock = { ms: 0 };
  const log = createRecordingLog();
  const failures = new FailureLog(log, () => clock.ms);
  let seen = 0;
  /** Those since the last call. */
  const linesAt = (ms: number): unknown[] => {
    clock.ms = ms;
    failures.tick();
    const lines = log.lines.slice(seen);
    seen = log.lines.length;
    return lines.map(({ message, fields }) => [message, fields]);
  };
  return { failures, linesAt };
}

const DOWN = new Error("the server is down");

describe("the failure log", () => {
  it("contains a line for the first request that fails for a reason, then one a minute with the number of the others", () => {
    const { failures, linesAt } = make();
    for (let i = 0; i < 1000; i++) failures.refused(DOWN, `request-${i}`);
    expect(linesAt(FAILURE_REPEATED_MS - 1)).toEqual([["a request failed", { requestId: "request-0", reason: DOWN.message }]]);
    expect(linesAt(FAILURE_REPEATED_MS)).toEqual([["requests failed", { requests: 999, reason: DOWN.message }]]);
    failures.refused(DOWN, "later");
    expect(linesAt(2 * FAILURE_REPEATED_MS)).toEqual([["requests failed", { requests: 1, reason: DOWN.message }]]);
    expect(linesAt(3 * FAILURE_REPEATED_MS)).toEqual([]);
    failures.refused(DOWN, "again");
    expect(linesAt(3 * FAILURE_REPEATED_MS)).toEqual([["a request failed", { requestId: "again", reason: DOWN.message }]]);
  });

  it("counts each reason separately", () => {
    const { failures, linesAt } = make();
    for (const reason of ["one", "two", "one"]) failures.refused(new Error(reason), reason);
    expect(linesAt(0)).toHaveLength(2);
    expect(linesAt(FAILURE_REPEATED_MS)).toEqual([["requests failed", { requests: 1, reason: "one" }]]);
  });

  it("counts a limited number of reasons, and loses no number with the oldest", () => {
    const { failures, linesAt } = make();
    for (const id of ["first", "second"]) failures.refused(DOWN, id);
    for (let i = 0; i < FAILURE_REASONS_MAX; i++) failures.refused(new Error(`reason ${i}`), `request-${i}`);
    const lines = linesAt(0);
    expect(lines).toHaveLength(FAILURE_REASONS_MAX + 2);
    expect(lines).toContainEqual(["requests failed", { requests: 1, reason: DOWN.message }]);
  });

  it("contains a line for each request that fails for a reason of its own", () => {
    const { failures, linesAt } = make();
    for (const id of ["a", "b"]) failures.failed(DOWN, id);
    expect(linesAt(0)).toHaveLength(2);
  });
});
