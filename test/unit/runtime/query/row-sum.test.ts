/** Sums of rows: which groups they have, what is selected of them, and what bounds them. Their order is in `rollup-totals.test.ts`. */
import { describe, expect, it } from "vitest";
import { RowSum } from "../../../../src/runtime/query/row-sum.ts";
import { TooManyStepsError } from "../../../../src/runtime/query/text-matching.ts";
import type { Columns } from "../../../../src/storage/columns.ts";

const rows = (value: readonly string[], visitors: readonly number[]): Columns => ({ value, visitors: Float64Array.from(visitors) });

async function sumOf(...parts: readonly Columns[]): Promise<RowSum> {
  const sum = new RowSum();
  for (const part of parts) await sum.add(part);
  return sum;
}

const MANY = 200_000;

const many = (firstValue: number): Columns =>
  rows(
    Array.from({ length: MANY }, (_, i) => `/${String(firstValue + i).padStart(6, "0")}`),
    Array.from({ length: MANY }, () => 1),
  );

describe("a sum of rows", () => {
  it("has one row for the rows of each group, and leaves the added rows as they are", async () => {
    const [first, second] = [rows(["/a", "/b"], [1, 2]), rows(["/b", "/c"], [3, 4])];
    const sum = await sumOf(first, {}, second);
    expect(await sum.toRows()).toEqual([
      { value: "/a", visitors: 1 },
      { value: "/b", visitors: 5 },
      { value: "/c", visitors: 4 },
    ]);
    expect([first, second]).toEqual([rows(["/a", "/b"], [1, 2]), rows(["/b", "/c"], [3, 4])]);
    expect(sum.toColumns()).toEqual(rows(["/a", "/b", "/c"], [1, 5, 4]));
  });

  it("keeps groups of several columns apart, whatever their texts are", async () => {
    const part = { bucket: Int32Array.of(1, 11), value: ["1:a", "a"], currency: ["b", "1:a"], total: ["9007199254740993", "-1"] };
    const sum = await sumOf(part, part);
    expect(await sum.toRows()).toEqual([
      { bucket: 1, value: "1:a", currency: "b", total: "18014398509481986" },
      { bucket: 11, value: "a", currency: "1:a", total: "-2" },
    ]);
  });

  it("rejects rows with other columns than before", async () => {
    const sum = await sumOf(rows(["/a"], [1]));
    await expect(sum.add({ value: ["/a"], events: Int32Array.of(1) })).rejects.toThrow("must have the same columns, got value, events");
  });

  it("counts and selects the rows of a search, which reads the label of what was not recorded", async () => {
    const sum = await sumOf(rows(["/Blog", "(unknown)", "/a"], [1, 2, 3]));
    expect(await sum.toRows({ search: "blo", rowsMax: 10 })).toEqual([{ value: "/Blog", visitors: 1 }]);
    expect(await sum.countRows({ search: "/", rowsMax: 1, offset: 1 })).toBe(2);
    expect(await sum.toRows({ search: "none", unknownLabel: "(none)", rowsMax: 10 })).toEqual([{ value: "(unknown)", visitors: 2 }]);
    expect(await sum.toRows({ values: ["/a", "/z"], rowsMax: 10 })).toEqual([{ value: "/a", visitors: 3 }]);
  });

  it("returns the same page of many rows whether they were added at once or in parts, and lets other work run meanwhile", async () => {
    const top = { by: "visitors", rowsMax: 2, offset: 150_000 };
    let pauses = 0;
    const next = async () => void pauses++;
    const parts = new RowSum({ next });
    await parts.add(many(MANY / 2));
    await parts.add(many(0));
    expect(pauses).toBeGreaterThan(10);
    expect(await parts.toRows(top)).toEqual([
      { value: "/050000", visitors: 1 },
      { value: "/050001", visitors: 1 },
    ]);
    expect(await (await sumOf(many(0))).toRows(top)).toEqual([
      { value: "/150000", visitors: 1 },
      { value: "/150001", visitors: 1 },
    ]);
  });

  it("ends as soon as nobody waits for it", async () => {
    const reason = new Error("given up");
    const sum = new RowSum({ next: () => Promise.reject(reason) });
    await sum.add(many(0));
    await expect(sum.add(many(0))).rejects.toBe(reason);
  });

  it("reserves each row that it grows by", async () => {
    const reserved: number[] = [];
    const sum = new RowSum({ reserve: (count) => reserved.push(count) });
    for (const part of [rows(["/a", "/b"], [1, 2]), rows(["/b", "/c"], [3, 4]), rows(["/c"], [1])]) await sum.add(part);
    expect(reserved).toEqual([2, 1]);
  });

  it("is searched only if the steps of the search are few enough", async () => {
    const sum = new RowSum({ searchStepsMax: 8 });
    await sum.add(rows(["/aa", "/b"], [1, 2]));
    expect(await sum.countRows({ search: "b", rowsMax: 1 })).toBe(1);
    await sum.add(rows(["/c"], [1]));
    await expect(sum.countRows({ search: "b", rowsMax: 1 })).rejects.toBeInstanceOf(TooManyStepsError);
    expect(await sum.countRows({ values: ["/b"], rowsMax: 1 })).toBe(1);
  });
});
