/** Tables of records: what counts when, and what a failed write leaves for the next start. */
import { describe, expect, it } from "vitest";
import { RecordTable, readTableRecord, type RecordKind } from "../../../../src/runtime/base/record-table.ts";
import type { RecordStore } from "../../../../src/storage/record-store.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

const KIND: RecordKind<Named> = {
  folder: "things",
  keyOf: ({ id }) => id,
  hashOf: (id) => id.repeat(64),
  json: (value) => value,
  parse({ id, name }) {
    if (typeof id !== "string" || typeof name !== "string") throw new Error("it has no name");
    return { id, name };
  },
};

const FIRST = `things/${"a".repeat(64)}.json`;

/** Stores of which a number of next operations fail after they were carried out, as a failed sync does. */
function fragile() {
  const records = createMemoryRecordStore();
  let failures = 0;
  const failing = async (done: Promise<void>) => {
    await done;
    if (failures-- > 0) throw new Error("EIO");
  };
  const store: RecordStore = {
    ...records,
    write: (name, bytes) => failing(records.write(name, bytes)),
    remove: (name) => failing(records.remove(name)),
  };
  return { store, failNext: (count: number) => void (failures = count) };
}

const open = (records: RecordStore, log = createRecordingLog()) => RecordTable.open(KIND, { records, log, changesWaitingMax: 1 });

const textOf = async (records: RecordStore, name: string): Promise<string> =>
  new TextDecoder().decode((await records.read(name)) ?? new Uint8Array());

describe("a table of records", () => {
  it("contains after a restart what it contained before", async () => {
    const records = createMemoryRecordStore();
    const table = await open(records);
    await table.put("a", { id: "a", name: "one" });
    await table.put("b", { id: "b", name: "two" });
    await table.put("a", { id: "a", name: "three" });
    await table.put("b", null);
    for (const opened of [table, await open(records)]) {
      expect([...opened.values()]).toEqual([{ id: "a", name: "three" }]);
      expect([opened.size, opened.get("a")?.name, opened.get("b")]).toEqual([1, "three", null]);
    }
    expect(await textOf(records, FIRST)).toBe('{"id":"a","name":"three"}\n');
  });

  it("leaves what was there before if a change fails, in memory and for the next start", async () => {
    const { store, failNext } = fragile();
    const table = await open(store);
    failNext(1);
    await expect(table.put("a", { id: "a", name: "new" })).rejects.toThrow("EIO");
    expect([table.get("a"), await store.list("things/")]).toEqual([null, []]);
    await table.put("a", { id: "a", name: "one" });
    for (const change of [{ id: "a", name: "two" }, null]) {
      failNext(1);
      await expect(table.put("a", change)).rejects.toThrow("EIO");
      for (const opened of [table, await open(store)]) expect(opened.get("a")?.name).toBe("one");
    }
  });

  it("lets a value that is set count before it is stored, and does not store one that was removed meanwhile", async () => {
    const records = createMemoryRecordStore();
    const table = await open(records);
    await table.put("a", { id: "a", name: "one" });
    table.set("a", { id: "a", name: "two" });
    expect([table.get("a")?.name, await textOf(records, FIRST)]).toEqual(["two", '{"id":"a","name":"one"}\n']);
    await table.save("a");
    expect(await textOf(records, FIRST)).toBe('{"id":"a","name":"two"}\n');
    await table.put("a", null);
    await table.save("a");
    expect(await records.list("things/")).toEqual([]);
  });

  it("lets no value count that is only stored", async () => {
    const records = createMemoryRecordStore();
    const table = await open(records);
    await table.store("a", { id: "a", name: "one" });
    expect([table.get("a"), (await open(records)).get("a")?.name]).toEqual([null, "one"]);
  });

  it("runs changes in turn, and refuses those that would wait behind too many", async () => {
    const table = await open(createMemoryRecordStore());
    const { signal } = new AbortController();
    const order: number[] = [];
    let end = (): void => {};
    const first = table.inTurn(() => new Promise<void>((resolve) => (end = resolve)), signal);
    const second = table.inTurn(async () => void order.push(2), signal);
    await expect(table.inTurn(async () => void order.push(3), signal)).rejects.toMatchObject({ failure: { code: "too_many_requests" } });
    order.push(1);
    end();
    await Promise.all([first, second]);
    expect(order).toEqual([1, 2]);
  });

  it.each([
    ["no JSON object", "[]", "it holds no JSON object"],
    ["a wrong field", '{"id":"a"}', "it has no name"],
    ["another key", '{"id":"b","name":"x"}', "it belongs under another name"],
  ])("does not open while a record is damaged, which the message names: %s", async (_, text, fault) => {
    const records = createMemoryRecordStore();
    await records.write(FIRST, new TextEncoder().encode(text));
    await expect(open(records)).rejects.toThrow(`${FIRST} in the data folder is damaged: ${fault};`);
    await expect(readTableRecord(records, FIRST, KIND)).rejects.toThrow(fault);
  });

  it("ignores files of other names, and logs them", async () => {
    const records = createMemoryRecordStore();
    await records.write("things/readme.json", new TextEncoder().encode("{}"));
    const log = createRecordingLog();
    expect((await open(records, log)).size).toBe(0);
    expect(log.lines).toEqual([
      {
        level: "warn",
        message: "a file among the things is ignored, because its name is not the name of a record",
        fields: { name: "things/readme.json" },
      },
    ]);
    expect(await readTableRecord(records, "things/readme.json", KIND)).toBeNull();
  });
});
