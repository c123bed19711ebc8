/** The contract of the segment log port. */
import { describe, expect, it } from "vitest";
import type { SegmentLog } from "../../src/storage/segment.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** An empty log, and how the next process opens the same one after it was closed. */
export interface OpenedLog {
  readonly log: SegmentLog;
  reopen(): Promise<SegmentLog>;
}

export function describeSegmentLog(name: string, openLog: () => Promise<OpenedLog>): void {
  describe(`the segment log ${name}`, () => {
    it("a new log has no segments", async () => {
      const { log } = await openLog();
      expect(await log.list()).toEqual([]);
      await log.close();
    });

    it("list sorts segments by number, not by name or age", async () => {
      const { log } = await openLog();
      for (const number of [10, 9, 100, 2, 1_773_576_000_000]) await log.create(number);
      expect(await log.list()).toEqual([2, 9, 10, 100, 1_773_576_000_000]);
      await log.close();
    });

    it("a created segment is empty", async () => {
      const { log } = await openLog();
      await log.create(1);
      expect(await log.read(1)).toHaveLength(0);
      await log.close();
    });

    it("creating an existing segment rejects and keeps its content", async () => {
      const { log } = await openLog();
      await log.create(1);
      await log.append(1, bytesOf("kept"));
      await expect(log.create(1)).rejects.toThrow();
      expect(textOf(await log.read(1))).toBe("kept");
      await log.close();
    });

    it("each append adds to the end of the segment", async () => {
      const { log } = await openLog();
      await log.create(1);
      for (const text of ["a\n", "", "bc\n", "\u{1f600}\n"]) await log.append(1, bytesOf(text));
      expect(textOf(await log.read(1))).toBe("a\nbc\n\u{1f600}\n");
      await log.close();
    });

    it("stores all byte values and megabytes of data", async () => {
      const { log } = await openLog();
      await log.create(1);
      const bytes = new Uint8Array(3_000_000).map((_, i) => i);
      await log.append(1, bytes);
      await log.append(1, bytes.subarray(0, 10));
      const read = await log.read(1);
      expect(read.length).toBe(bytes.length + 10);
      expect(read.every((byte, i) => byte === (i & 0xff) || i >= bytes.length)).toBe(true);
      await log.close();
    });

    it("appends to different segments may come in any order", async () => {
      const { log } = await openLog();
      await log.create(1);
      await log.create(2);
      for (const [segment, text] of [
        [1, "a"],
        [2, "b"],
        [1, "c"],
        [2, "d"],
        [1, "e"],
      ] as const)
        await log.append(segment, bytesOf(text));
      expect([textOf(await log.read(1)), textOf(await log.read(2))]).toEqual(["ace", "bd"]);
      await log.close();
    });

    it("an append to an unknown segment rejects", async () => {
      const { log } = await openLog();
      await log.create(1);
      await expect(log.append(2, bytesOf("x"))).rejects.toThrow();
      await log.append(1, bytesOf("x"));
      expect(textOf(await log.read(1))).toBe("x");
      await log.close();
    });

    it("remove deletes a segment, even the one appended to last, and succeeds for an unknown one", async () => {
      const { log } = await openLog();
      for (const number of [1, 2, 3]) await log.create(number);
      await log.append(2, bytesOf("x"));
      await log.remove(2);
      await log.remove(2);
      await log.remove(99);
      expect(await log.list()).toEqual([1, 3]);
      await expect(log.append(2, bytesOf("x"))).rejects.toThrow();
      await log.create(2);
      expect(await log.read(2)).toHaveLength(0);
      await log.close();
    });

    it("quarantine copies a segment and does not change it", async () => {
      const { log } = await openLog();
      await log.create(1);
      await log.append(1, bytesOf("damaged"));
      expect(await log.quarantine(1)).toContain("1");
      await log.quarantine(1);
      expect(await log.list()).toEqual([1]);
      await log.append(1, bytesOf(" more"));
      expect(textOf(await log.read(1))).toBe("damaged more");
      await log.close();
    });

    it("all segments exist after the log was closed and opened again", async () => {
      const { log, reopen } = await openLog();
      for (const number of [1, 2, 3]) await log.create(number);
      await log.append(1, bytesOf("one"));
      await log.append(3, bytesOf("three"));
      await log.remove(2);
      await log.close();
      const again = await reopen();
      expect(await again.list()).toEqual([1, 3]);
      await again.append(1, bytesOf(" more"));
      expect([textOf(await again.read(1)), textOf(await again.read(3))]).toEqual(["one more", "three"]);
      await again.close();
    });

    it("closing twice succeeds", async () => {
      const { log } = await openLog();
      await log.create(1);
      await log.append(1, bytesOf("x"));
      await log.close();
      await log.close();
    });
  });
}
