import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/runtime/base/errors.ts";
import { ExportMemory } from "../../../../../src/runtime/reports/exports/export-memory.ts";
import { PackedNumbers } from "../../../../../src/runtime/reports/exports/packed-numbers.ts";

const codeOf = (task: () => void): string => {
  try {
    task();
    return "kept";
  } catch (error) {
    return error instanceof AppError ? error.failure.code : String(error);
  }
};

describe("the memory of exports", () => {
  it("is shared: an export that finds too little left can be retried, and one that needs more than all cannot", () => {
    const memory = new ExportMemory(100);
    const [first, second] = [memory.open(), memory.open()];
    first.add(60);
    expect(codeOf(() => second.add(41))).toBe("unavailable");
    expect(codeOf(() => second.add(101))).toBe("invalid_input");
    second.add(40);
    expect(memory.bytes).toBe(100);
    expect(codeOf(() => second.add(61))).toBe("invalid_input");
    first.clear();
    first.clear();
    expect(memory.bytes).toBe(40);
    second.add(60);
    second.clear();
    expect(memory.bytes).toBe(0);
  });

  it("leaves half of it to others than viewers", () => {
    const memory = new ExportMemory(100);
    const [viewer, another, own] = [memory.open(true), memory.open(true), memory.open()];
    viewer.add(30);
    expect(codeOf(() => another.add(21))).toBe("unavailable");
    expect(codeOf(() => another.add(51))).toBe("invalid_input");
    another.add(20);
    own.add(50);
    viewer.clear();
    another.add(30);
    expect(codeOf(() => own.add(1))).toBe("unavailable");
    another.clear();
    expect(memory.bytes).toBe(50);
    memory.open(true).add(50);
    expect(memory.bytes).toBe(100);
  });
});

describe("packed numbers", () => {
  const ranges = fc.constantFrom(0, 1, 255, 256, 65_535, 65_536, 2 ** 31 - 1);

  it("unpack to the same numbers, in no more bytes", () => {
    fc.assert(
      fc.property(
        ranges.chain((max) => fc.array(fc.integer({ min: max > 2 ** 30 ? -max : 0, max }), { maxLength: 20 })),
        (numbers) => {
          const packed = new PackedNumbers(Int32Array.from(numbers));
          expect([...packed.unpacked()]).toEqual(numbers);
          expect(packed.bytes).toBeLessThanOrEqual(numbers.length * 4);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger(), { maxLength: 20 }), (numbers) => {
        fc.pre(numbers.length === 0 || Math.max(...numbers) - Math.min(...numbers) <= Number.MAX_SAFE_INTEGER);
        const packed = new PackedNumbers(BigInt64Array.from(numbers, BigInt));
        expect([...packed.unpacked()]).toEqual(numbers);
      }),
    );
  });

  it("take no bytes if all are equal, and one byte each for a small range", () => {
    expect(new PackedNumbers(new Int32Array(1000).fill(70_000)).bytes).toBe(0);
    expect(new PackedNumbers(Int32Array.from({ length: 1000 }, (_, i) => i % 200)).bytes).toBe(1000);
    expect(new PackedNumbers(BigInt64Array.from({ length: 1000 }, (_, i) => BigInt(1_700_000_000_000 + (i % 200)))).bytes).toBe(1000);
  });
});
