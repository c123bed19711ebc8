/** Exports share one memory limit, of which guests have a part. */
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/runtime/base/errors.ts";
import { ExportMemory } from "../../../../../src/runtime/reports/exports/export-memory.ts";

const codeOf = (task: () => void): string => {
  try {
    task();
    return "kept";
  } catch (error) {
    return error instanceof AppError ? error.failure.code : String(error);
  }
};

describe("export memory", () => {
  it("answers 503 if other exports use the memory, and 400 if an export needs more than the limit", () => {
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

  it("keeps half of the limit free of guests", () => {
    const memory = new ExportMemory(100);
    const [guest, another, own] = [memory.open(true), memory.open(true), memory.open()];
    guest.add(30);
    expect(codeOf(() => another.add(21))).toBe("unavailable");
    expect(codeOf(() => another.add(51))).toBe("invalid_input");
    another.add(20);
    own.add(50);
    guest.clear();
    another.add(30);
    expect(codeOf(() => own.add(1))).toBe("unavailable");
    another.clear();
    expect(memory.bytes).toBe(50);
    memory.open(true).add(50);
    expect(memory.bytes).toBe(100);
  });
});
