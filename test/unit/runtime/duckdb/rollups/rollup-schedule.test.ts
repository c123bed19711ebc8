/** Which rollups are made, of what and in which order: each event is read once, and added from then on. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROLLUP_DAY_WEIGHT_BYTES, ROLLUP_WEIGHT_BYTES_MIN } from "../../../../../src/runtime/base/config/report-limits.ts";
import type { PartitionVersion } from "../../../../../src/storage/partitions.ts";
import {
  dueDays,
  dueSpans,
  nextRollup,
  type RollupConditions,
  type RollupSpan,
  rollupSpans,
} from "../../../../../src/runtime/duckdb/rollups/rollup-spans.ts";
import { addDays, daysBetween } from "../../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../../src/storage/event.ts";
import { day } from "../../../../support/json-rollups.ts";
import { versionOf, versionsFrom } from "../../../../support/partition-versions.ts";

/** The first day of period 20480, a multiple of 4096. */
const START = day("2026-01-27");
const at = (days: number): LocalDate => addDays(START, days);
const number = (date: LocalDate): number => daysBetween(START, date);

/** A day that is due by itself, and one of which `THIN_GROUP` are. */
const THICK = ROLLUP_WEIGHT_BYTES_MIN - ROLLUP_DAY_WEIGHT_BYTES;
const THIN_GROUP = 8;
const THIN = ROLLUP_WEIGHT_BYTES_MIN / THIN_GROUP - ROLLUP_DAY_WEIGHT_BYTES;

interface Made {
  readonly span: readonly [number, number];
  readonly rollups: readonly string[];
  readonly events: readonly (readonly [number, number])[];
}

const numbersOf = ({ firstDay, lastDay }: { readonly firstDay: LocalDate; readonly lastDay: LocalDate }) =>
  [number(firstDay), number(lastDay)] as const;

/** Makes every rollup that is due, in order. A rollup is named by its days. */
function makeAll(
  days: readonly PartitionVersion[],
  today: number,
  rotationDays = 1,
  isSettled: RollupConditions["isSettled"] = () => true,
): Made[] {
  const conditions = { today: at(today), isSettled, weightBytesMin: ROLLUP_WEIGHT_BYTES_MIN };
  const due = dueSpans(rollupSpans(days, rotationDays), conditions);
  const names = new Map<RollupSpan, string>();
  const made: Made[] = [];
  for (let next = nextRollup(due, names, conditions); next; next = nextRollup(due, names, conditions)) {
    names.set(next.span, numbersOf(next.span).join("–"));
    made.push({ span: numbersOf(next.span), rollups: next.rollups, events: next.events.map(numbersOf) });
  }
  return made;
}

const spansOf = (made: readonly Made[]) => made.map(({ span }) => span.join("–"));

describe("the order of rollups", () => {
  it("is newest first, and a sum as soon as its halves exist", () => {
    const made = makeAll(versionsFrom(START, [0, 1, 2, 3], { bytes: THICK }), 4);
    expect(spansOf(made)).toEqual(["3–3", "2–2", "2–3", "1–1", "0–0", "0–1", "0–3"]);
    expect(made.at(-1)).toEqual({ span: [0, 3], rollups: ["0–1", "2–3"], events: [] });
    expect(made[0]).toEqual({ span: [3, 3], rollups: [], events: [[3, 3]] });
  });

  it("leaves out days that are not over", () => {
    expect(spansOf(makeAll(versionsFrom(START, [0, 1, 2, 3], { bytes: THICK }), 3))).toEqual(["2–2", "1–1", "0–0", "0–1"]);
    expect(makeAll(versionsFrom(START, [0], { bytes: THICK }), 0)).toEqual([]);
    // A period of two days is not over with its first.
    expect(makeAll(versionsFrom(START, [0], { bytes: THICK }), 1, 2)).toEqual([]);
    expect(spansOf(makeAll(versionsFrom(START, [0], { bytes: THICK }), 2, 2))).toEqual(["0–1"]);
  });

  it("leaves out days with events in no file, or in a file that would be written again after a crash", () => {
    const days = versionsFrom(START, [0, 1, 2, 3], { bytes: THICK });
    const unflushed = [...days.slice(0, 1), versionOf(at(1), { bytes: THICK, hasUnflushed: true }), ...days.slice(2)];
    expect(spansOf(makeAll(unflushed, 9))).toEqual(["3–3", "2–2", "2–3", "0–0"]);
    expect(spansOf(makeAll(days, 9, 1, (file) => file.day !== at(3)))).toEqual(["2–2", "1–1", "0–0", "0–1"]);
  });

  it("groups days that are too thin for one rollup each", () => {
    const thin = (count: number) =>
      versionsFrom(
        START,
        Array.from({ length: count }, (_, i) => i),
        { bytes: THIN },
      );
    expect(makeAll(thin(THIN_GROUP - 1), 100)).toEqual([]);
    expect(makeAll(thin(THIN_GROUP), 100)).toEqual([{ span: [0, 7], rollups: [], events: [[0, 7]] }]);
  });

  it("reads the events of a thin half, and adds the rollup of the other", () => {
    const days = [...versionsFrom(START, [0], { bytes: THICK }), ...versionsFrom(START, [1], { bytes: 1 })];
    expect(makeAll(days, 9).at(-1)).toEqual({ span: [0, 1], rollups: ["0–0"], events: [[1, 1]] });
  });

  it("contains no rollup of a span whose events are all in one half: the half's rollup serves", () => {
    const days = versionsFrom(START, [0, 3], { bytes: THICK });
    expect(makeAll(days, 100)).toEqual([
      { span: [3, 3], rollups: [], events: [[3, 3]] },
      { span: [0, 0], rollups: [], events: [[0, 0]] },
      { span: [0, 3], rollups: ["0–0", "3–3"], events: [] },
    ]);
  });

  it("contains no rollup of salt periods that are longer than any range", () => {
    expect(makeAll(versionsFrom(START, [0], { bytes: THICK }), 1000, 367)).toEqual([]);
    expect(makeAll(versionsFrom(START, [0], { bytes: THICK }), 1000, 366)).toHaveLength(1);
  });

  it("reads each event at most once, no rollup holds one twice, and the due days are the days that are read", () => {
    const story = fc.record({
      rotationDays: fc.constantFrom(1, 2, 7, 30),
      today: fc.integer({ min: -50, max: 450 }),
      days: fc.uniqueArray(fc.record({ day: fc.integer({ min: -300, max: 400 }), bytes: fc.constantFrom(1, THIN, THICK, 4 * THICK) }), {
        selector: (entry) => entry.day,
        maxLength: 100,
      }),
    });
    const check = ({ rotationDays, today, days }: typeof story extends fc.Arbitrary<infer T> ? T : never) => {
      const versions = days.sort((a, b) => a.day - b.day).map((entry) => versionOf(at(entry.day), { bytes: entry.bytes }));
      const read = new Set<number>();
      const contents = new Map<string, number[]>();
      for (const { span, rollups, events } of makeAll(versions, today, rotationDays)) {
        const fresh = events.flatMap(([first, last]) => days.map((entry) => entry.day).filter((of) => first <= of && of <= last));
        for (const of of fresh) expect(read.has(of)).toBe(false);
        for (const of of fresh) read.add(of);
        const content = [...fresh, ...rollups.flatMap((name) => contents.get(name) ?? [Number.NaN])].sort((a, b) => a - b);
        expect(content).toEqual(days.map((entry) => entry.day).filter((of) => span[0] <= of && of <= span[1]));
        contents.set(span.join("–"), content);
      }
      const conditions = { today: at(today), isSettled: () => true, weightBytesMin: ROLLUP_WEIGHT_BYTES_MIN };
      expect(dueDays(rollupSpans(versions, rotationDays), conditions).map(number)).toEqual([...read].sort((a, b) => a - b));
    };
    fc.assert(fc.property(story, check), { numRuns: 300 });
  });
});
