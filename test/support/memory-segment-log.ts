/** A segment log in memory, which does not outlive the process. */
import type { SegmentLog } from "../../src/storage/segment.ts";

export function createMemorySegmentLog(): SegmentLog {
  const segments = new Map<number, Uint8Array>();
  return {
    async list() {
      return [...segments.keys()].sort((a, b) => a - b);
    },
    async create(segment) {
      if (segments.has(segment)) throw new Error(`journal segment ${segment} exists already`);
      segments.set(segment, new Uint8Array());
    },
    async append(segment, bytes) {
      const before = segments.get(segment);
      if (!before) throw new Error(`journal segment ${segment} does not exist`);
      const after = new Uint8Array(before.length + bytes.length);
      after.set(before);
      after.set(bytes, before.length);
      segments.set(segment, after);
    },
    async read(segment) {
      return segments.get(segment) ?? new Uint8Array();
    },
    async remove(segment) {
      segments.delete(segment);
    },
    async quarantine(segment) {
      return `segment ${segment} in memory`;
    },
    async close() {},
  };
}
