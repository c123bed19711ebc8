/** A record store in memory, which does not outlive the process. */
import { recordName, type RecordStore } from "../../src/storage/record-store.ts";

export function createMemoryRecordStore(): RecordStore {
  const records = new Map<string, Uint8Array>();

  return {
    async read(name) {
      return records.get(recordName(name))?.slice() ?? null;
    },
    async write(name, bytes) {
      records.set(recordName(name), bytes.slice());
    },
    async list(prefix) {
      return [...records.keys()].filter((name) => name.startsWith(prefix)).sort();
    },
    async remove(name) {
      records.delete(recordName(name));
    },
  };
}
