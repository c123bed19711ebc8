/** Where a range is cut into chunks, and how many of them are worked on at a time. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PartitionVersion } from "../../../../src/storage/partitions.ts";
import { rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import { bytesOf, type Chunk, cutIntoChunks, cutIntoParts, MemoryAdmission } from "../../../../src/runtime/duckdb/chunks.ts";
import { DAY_MS, type LocalDate, utcDateOf } from "../../../../src/storage/event.ts";

const FIRST_MS = Date.parse("2026-01-01T00:00:00Z");

const dayAt = (index: number): LocalDate => utcDateOf(FIRST_MS + index * DAY_MS);

const periodOf = (day: LocalDate, rotationDays: number): number => Math.floor(Date.parse(day) / DAY_MS / rotationDays);

const aVersion = (day: LocalDate, bytes: number, version: string): PartitionVersion => ({
  day,
  bytes,
  version,
  files: [],
  hasUnflushed: false,
});

const versionsOf = (bytes: readonly number[]): PartitionVersion[] =>
  bytes.flatMap((size, i) => (size === 0 ? [] : [aVersion(dayAt(i), size, `${i}`)]));

const rangeIn = (bytes: readonly number[], from: number, to: number) => {
  const days = versionsOf(bytes).filter(({ day }) => dayAt(from) <= day && day < dayAt(to));
  return { range: rangeOfDays(dayAt(from), dayAt(to - 1)), days, newestDay: days.at(-1)?.day ?? dayAt(from) };
};

const cut = (bytes: readonly number[], rotationDays: number, bytesMax: number, from = 0, to = bytes.length): Chunk[] =>
  cutIntoChunks(rangeIn(bytes, from, to), rotationDays, bytesMax);

const namesOf = (chunks: readonly Chunk[]): string[] => chunks.map(({ range, version }) => `${range.firstDay} ${range.lastDay} ${version}`);

const sizes = fc.array(fc.constantFrom(0, 1, 1, 2, 5, 30), { minLength: 1, maxLength: 80 });
const rotation = fc.constantFrom(1, 2, 7, 30, 365);

describe("chunks of a range", () => {
  it("contain each day with events once, in order, and never split a salt period", () => {
    fc.assert(
      fc.property(sizes, rotation, fc.constantFrom(0, 4, 20, 1000), fc.nat(79), (bytes, rotationDays, bytesMax, from) => {
        const start = from % bytes.length;
        const chunks = cut(bytes, rotationDays, bytesMax, start);
        const wanted = versionsOf(bytes)
          .map(({ day }) => day)
          .filter((day) => day >= dayAt(start));
        expect(chunks.flatMap(({ days }) => days)).toEqual(wanted);
        for (const { range, days } of chunks) for (const day of days) expect(range.firstDay <= day && day <= range.lastDay).toBe(true);
        const periods = chunks.map(({ days }) => new Set(days.map((day) => periodOf(day, rotationDays))));
        expect(periods.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(wanted.map((day) => periodOf(day, rotationDays))).size);
        chunks.forEach(({ bytes: size }, i) => {
          if ((periods[i]?.size ?? 0) > 1) expect(size).toBeLessThanOrEqual(bytesMax);
        });
      }),
    );
  });

  it("of a part of a range are those of the range, if the part begins and ends where they do", () => {
    const bytes = Array.from({ length: 64 }, () => 1);
    const whole = cut(bytes, 1, 8);
    const middle = whole.filter(({ range }) => range.firstDay >= dayAt(18) && range.lastDay <= dayAt(49));
    expect(middle.map(({ days }) => days.length)).toEqual([8, 8, 8, 8]);
    const part = { ...rangeIn(bytes, 18, 50), newestDay: dayAt(63) };
    expect(namesOf(cutIntoChunks(part, 1, 8))).toEqual(namesOf(middle));
    expect(namesOf(cutIntoParts(part, 1, 8))).toEqual(namesOf(middle));
  });

  it("are equal for overlapping ranges, except at the ends", () => {
    const bytes = Array.from({ length: 64 }, () => 1);
    const whole = new Set(namesOf(cut(bytes, 1, 8)));
    const part = namesOf(cut(bytes, 1, 8, 11));
    expect(part.filter((name) => !whole.has(name)).length).toBeLessThanOrEqual(3);
    const nextDay = namesOf(cut([...bytes, 1], 1, 8, 1));
    expect(nextDay.filter((name) => !whole.has(name)).length).toBeLessThanOrEqual(4);
  });

  it("keep the newest period with events separate", () => {
    for (const days of [8, 9, 10, 11]) {
      const chunks = cut(
        Array.from({ length: days }, () => 1),
        1,
        1000,
      );
      expect(chunks.at(-1)?.days).toEqual([dayAt(days - 1)]);
    }
  });

  it("get a new version with each new version of a day", () => {
    const [before] = cut([1], 1, 10);
    const range = rangeOfDays(dayAt(0), dayAt(0));
    const [after] = cutIntoChunks({ range, days: [aVersion(dayAt(0), 1, "other")], newestDay: dayAt(0) }, 1, 10);
    expect(after?.version).not.toBe(before?.version);
    expect(bytesOf(versionsOf([1, 2]))).toBe(3);
  });

  it("are empty for a range without events", () => {
    expect(cut([0, 0], 1, 10)).toEqual([]);
  });
});

describe("memory admission", () => {
  const silent = new AbortController().signal;

  const OWNER = { isGuest: false, signal: silent };

  /** A task that ends when it is told, and what has begun so far. */
  function tasks(room: MemoryAdmission) {
    const begun: string[] = [];
    const run = (name: string, bytes: number, { signal = silent, isGuest = false } = {}) => {
      let end = (): void => {};
      const ended = new Promise<void>((resolve) => (end = resolve));
      const done = room.run({ name: name.replace(/ again$/, ""), bytes }, { isGuest, signal }, () => (begun.push(name), ended));
      return { end, done };
    };
    return { begun, run };
  }

  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

  it("admits as many chunks as fit, then in order of arrival", async () => {
    const { begun, run } = tasks(new MemoryAdmission(10));
    const first = run("first", 6);
    run("second", 4);
    run("third", 5);
    run("fourth", 1);
    expect(begun).toEqual(["first", "second"]);
    first.end();
    await first.done;
    expect(begun).toEqual(["first", "second", "third", "fourth"]);
  });

  it("admits a chunk larger than the budget when it is alone", async () => {
    const { begun, run } = tasks(new MemoryAdmission(10));
    const small = run("small", 1);
    const large = run("large", 100);
    run("next", 1);
    expect(begun).toEqual(["small"]);
    small.end();
    await settled();
    expect(begun).toEqual(["small", "large"]);
    large.end();
    await settled();
    expect(begun).toEqual(["small", "large", "next"]);
  });

  it("admits further queries for the same chunk before others that wait", async () => {
    const room = new MemoryAdmission(10);
    const { begun, run } = tasks(room);
    const first = run("first", 6);
    run("second", 6);
    const again = run("first again", 6);
    expect([begun, room.isWorkedOn("first"), room.isWorkedOn("second")]).toEqual([["first", "first again"], true, false]);
    first.end();
    await settled();
    expect(begun).toEqual(["first", "first again"]);
    again.end();
    await settled();
    expect([begun, room.isWorkedOn("first")]).toEqual([["first", "first again", "second"], false]);
  });

  it("gives guests half of the memory, or one chunk, and starts them after owners that came later", async () => {
    const { begun, run } = tasks(new MemoryAdmission(10));
    const guest = run("guest", 4, { isGuest: true });
    run("second guest", 2, { isGuest: true });
    const owner = run("owner", 4);
    expect(begun).toEqual(["guest", "owner"]);
    run("next owner", 5);
    guest.end();
    await settled();
    expect(begun).toEqual(["guest", "owner", "next owner"]);
    owner.end();
    await settled();
    expect(begun).toEqual(["guest", "owner", "next owner", "second guest"]);
  });

  it("drops aborted waiters and releases the memory of failed tasks", async () => {
    const room = new MemoryAdmission(10);
    const { begun, run } = tasks(room);
    const first = run("first", 10);
    const controller = new AbortController();
    const gone = run("gone", 10, { signal: controller.signal }).done.catch((error: unknown) => error);
    run("next", 10);
    const reason = new Error("gone");
    controller.abort(reason);
    expect(await gone).toBe(reason);
    first.end();
    await settled();
    expect(begun).toEqual(["first", "next"]);
    const other = new MemoryAdmission(1);
    await expect(other.run({ name: "a chunk", bytes: 5 }, OWNER, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await other.run({ name: "a chunk", bytes: 5 }, OWNER, () => Promise.resolve("there is room"))).toBe("there is room");
    await expect(
      other.run({ name: "a chunk", bytes: 5 }, { isGuest: false, signal: AbortSignal.abort(reason) }, () => Promise.resolve()),
    ).rejects.toBe(reason);
  });
});
