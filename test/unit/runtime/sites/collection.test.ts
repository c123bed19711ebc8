/** What sites have made for them: kept in records, read again at the start, and unchanged where a write fails. */
import { beforeEach, describe, expect, it } from "vitest";
import { COLLECTION_BYTES_MAX } from "../../../../src/runtime/base/config/admin-limits.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { Collection, type CollectionKind, type Item } from "../../../../src/runtime/sites/collection.ts";
import { type AnnotationFields, ANNOTATION_KIND } from "../../../../src/runtime/sites/annotation.ts";
import { GOAL_KIND, type GoalFields } from "../../../../src/runtime/sites/goal.ts";
import { RULE_KIND, type RuleFields } from "../../../../src/runtime/sites/rule.ts";
import { type SegmentFields, SEGMENT_KIND } from "../../../../src/runtime/sites/segment.ts";
import { type Change, SharedChanges } from "../../../../src/runtime/sites/shared-changes.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import type { RecordStore } from "../../../../src/storage/record-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

interface Named {
  readonly name: string;
}

const KIND: CollectionKind<Named> = {
  name: "goals",
  itemsMax: 3,
  json: (fields) => ({ ...fields }),
  parse({ name }) {
    if (typeof name !== "string") throw new Error("it has no name");
    return { name };
  },
};

const A = "a.example" as SiteId;
const B = "B.example" as SiteId;
const C = "c.example" as SiteId;

const NOW = Date.parse("2026-03-04T12:00:00Z");

let nowMs = NOW;
let lastByte = 0;
beforeEach(() => {
  nowMs = NOW;
  lastByte = 0;
});

const { signal } = new AbortController();

type ItemChange<Fields> = Change<Item<Fields>, `${SiteId}/${string}`>;

type Publish = (changes: readonly ItemChange<Named>[]) => Promise<void>;

const open = (records: RecordStore, publish?: Publish, log = createRecordingLog()): Promise<Collection<Named>> =>
  Collection.open(KIND, { records, sitesMax: 2, now: () => nowMs, randomBytes: (n) => new Uint8Array(n).fill(++lastByte), log, publish });

async function add(collection: Collection<Named>, siteId: SiteId, name: string): Promise<Item<Named>> {
  const id = collection.newId();
  await collection.change(siteId, () => new Map([[id, { name }]]), signal);
  return collection.existing(siteId, id);
}

const rename = (collection: Collection<Named>, { id }: Item<Named>, name: string): Promise<void> =>
  collection.change(A, (items) => new Map(items.filter((item) => item.id === id).map((item) => [item.id, { name }])), signal);

const remove = (collection: Collection<Named>, { id }: Item<Named>): Promise<void> =>
  collection.change(A, () => new Map([[id, null]]), signal);

const namesIn = (collection: Collection<Named>, siteId: SiteId): string[] => collection.of(siteId).map(({ fields }) => fields.name);

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (error instanceof AppError ? error.failure.code : String(error)),
  );

/** Records of which writes and removals can be made to fail. */
function fragile(): RecordStore & { fails: boolean } {
  const records = createMemoryRecordStore();
  return {
    ...records,
    fails: false,
    async write(name, bytes) {
      if (this.fails) throw new Error("the disk is full");
      await records.write(name, bytes);
    },
    async remove(name) {
      if (this.fails) throw new Error("the disk is full");
      await records.remove(name);
    },
  };
}

describe("items of a site", () => {
  it("are listed in order of creation, and are the same after a restart", async () => {
    const records = createMemoryRecordStore();
    const collection = await open(records);
    const first = await add(collection, A, "first");
    nowMs += 1000;
    const second = await add(collection, A, "second");
    await add(collection, B, "of another site");
    expect(first).toEqual({ id: "01".repeat(16), createdAt: "2026-03-04T12:00:00.000Z", changedMs: NOW, fields: { name: "first" } });
    for (const opened of [collection, await open(records)]) {
      expect(opened.of(A)).toEqual([first, second]);
      expect(opened.get(A, second.id)).toEqual(second);
      expect([opened.get(B, second.id), opened.of(C)]).toEqual([null, []]);
    }
  });

  it("keep id and time of creation when they are replaced", async () => {
    const records = createMemoryRecordStore();
    const collection = await open(records);
    const item = await add(collection, A, "before");
    await rename(collection, item, "after");
    for (const opened of [collection, await open(records)])
      expect(opened.of(A)).toEqual([{ ...item, changedMs: NOW + 1, fields: { name: "after" } }]);
  });

  it("leave no record behind when the last one is removed", async () => {
    const records = createMemoryRecordStore();
    const collection = await open(records);
    const item = await add(collection, A, "one");
    expect(await records.list("goals/")).toHaveLength(1);
    await remove(collection, item);
    expect([collection.of(A), await records.list("goals/")]).toEqual([[], []]);
    await add(collection, A, "two");
    await collection.removeSite(A, signal);
    expect([collection.of(A), await records.list("goals/")]).toEqual([[], []]);
  });

  it("are 404 for an unknown id, and for one of another site", async () => {
    const collection = await open(createMemoryRecordStore());
    const { id } = await add(collection, A, "one");
    expect(() => collection.existing(B, id)).toThrow("No goal with this id");
    expect(() => collection.existing(A, "0".repeat(32))).toThrow(AppError);
  });

  it("are limited in number, in sites and in bytes of UTF-8", async () => {
    const collection = await open(createMemoryRecordStore());
    for (const name of ["1", "2", "3"]) await add(collection, A, name);
    await expect(add(collection, A, "4")).rejects.toThrow("There are already 3 goals of this site, the maximum");
    await add(collection, B, "1");
    await expect(add(collection, C, "1")).rejects.toThrow("of 2 sites at most. Raise max_sites");
    await expect(add(collection, B, "x".repeat(COLLECTION_BYTES_MAX))).rejects.toThrow("take more than");
    await expect(add(collection, B, "界".repeat(COLLECTION_BYTES_MAX / 3))).rejects.toThrow(`more than ${COLLECTION_BYTES_MAX} bytes`);
    expect([namesIn(collection, A), namesIn(collection, B), namesIn(collection, C)]).toEqual([["1", "2", "3"], ["1"], []]);
  });

  it("can be removed one by one, even if other instances have made more than the limit", async () => {
    const collection = await open(createMemoryRecordStore());
    const long = (id: string): ItemChange<Named> => ({
      key: `${A}/${id.repeat(16)}`,
      changedMs: NOW,
      value: {
        id: id.repeat(16),
        createdAt: new Date(NOW).toISOString(),
        changedMs: NOW,
        fields: { name: "x".repeat(COLLECTION_BYTES_MAX) },
      },
    });
    await collection.receive([long("01"), long("02")], signal);
    await expect(add(collection, A, "more")).rejects.toThrow("take more than");
    for (const item of collection.of(A)) await remove(collection, item);
    expect(collection.of(A)).toEqual([]);
  });

  it("stay unchanged if a change cannot be stored", async () => {
    const records = fragile();
    const collection = await open(records);
    const item = await add(collection, A, "kept");
    records.fails = true;
    expect(await codeOf(add(collection, A, "lost"))).toBe("unavailable");
    expect(await codeOf(rename(collection, item, "lost"))).toBe("unavailable");
    expect(await codeOf(remove(collection, item))).toBe("unavailable");
    expect(namesIn(collection, A)).toEqual(["kept"]);
    records.fails = false;
    expect(namesIn(await open(records), A)).toEqual(["kept"]);
  });

  it("cannot be opened while a record is damaged, which is named, and records of other names are ignored", async () => {
    const records = createMemoryRecordStore();
    const log = createRecordingLog();
    await add(await open(records), A, "one");
    const [name = ""] = await records.list("goals/");
    await records.write("goals/notes.json", new TextEncoder().encode("{}"));
    expect(namesIn(await open(records, undefined, log), A)).toEqual(["one"]);
    expect(log.lines.map(({ level }) => level)).toEqual(["warn"]);
    const text = new TextDecoder().decode((await records.read(name)) ?? undefined);
    const [item] = (JSON.parse(text) as { items: unknown[] }).items;
    for (const damaged of [
      "{",
      "[]",
      "{}",
      text.replace(A, B),
      text.replace(/"id":"../, '"id":"'),
      text.replace('"name":"one"', '"name":1'),
      text.replace(/"createdAt":"[^"]*"/, '"createdAt":"2026"'),
      JSON.stringify({ ...(JSON.parse(text) as object), items: [item, item] }),
    ]) {
      await records.write(name, new TextEncoder().encode(damaged));
      await expect(open(records), damaged).rejects.toThrow(`${name} in the data folder is damaged`);
    }
  });
});

describe("stored goals, annotations, segments and rules", () => {
  const openKind = <Fields extends object>(kind: CollectionKind<Fields>, records: RecordStore): Promise<Collection<Fields>> =>
    Collection.open(kind, {
      records,
      sitesMax: 2,
      now: () => nowMs,
      randomBytes: (n) => new Uint8Array(n).fill(++lastByte),
      log: createRecordingLog(),
    });

  /** The records of one item, in whose text `from` is replaced. */
  async function edited<Fields extends object>(
    kind: CollectionKind<Fields>,
    fields: Fields,
    from: string,
    to: string,
  ): Promise<RecordStore> {
    const records = createMemoryRecordStore();
    const collection = await openKind(kind, records);
    await collection.change(A, () => new Map([[collection.newId(), fields]]), signal);
    const [name = ""] = await records.list("");
    const text = new TextDecoder().decode((await records.read(name)) ?? undefined);
    expect(text).toContain(from);
    await records.write(name, new TextEncoder().encode(text.replace(from, to)));
    return records;
  }

  const NOTE: AnnotationFields = { date: "2026-03-01" as LocalDate, hour: null, text: "Launch", owner: null };
  const SAVED: SegmentFields = { name: "Docs", kind: "filters", parameters: { filters: "pages==/docs" }, owner: null };

  const RULE: RuleFields = {
    ...{ name: "A wave", filters: "countries==SG", firstDate: "2026-03-01" as LocalDate, lastDate: null },
    ...{ sparesPeople: true, isApplied: false },
  };

  const GOAL_FIELDS: GoalFields = { name: "Docs", goal: { page: "/docs" }, hasRevenue: false, position: 1 };

  it("open although a later version added fields to them", async () => {
    const goals = await openKind(GOAL_KIND, await edited(GOAL_KIND, GOAL_FIELDS, '"page":"/docs"', '"page":"/docs","color":"red"'));
    expect(goals.of(A).map(({ fields }) => fields)).toEqual([GOAL_FIELDS]);
    const notes = await openKind(ANNOTATION_KIND, await edited(ANNOTATION_KIND, NOTE, '"hour":null', '"hour":null,"color":"red"'));
    expect(notes.of(A).map(({ fields }) => fields)).toEqual([NOTE]);
    const saved = await openKind(SEGMENT_KIND, await edited(SEGMENT_KIND, SAVED, '"filters":"', '"scale":"2","filters":"'));
    expect(saved.of(A).map(({ fields }) => fields)).toEqual([SAVED]);
    const rules = await openKind(RULE_KIND, await edited(RULE_KIND, RULE, '"last_date":null', '"last_date":null,"color":"red"'));
    expect(rules.of(A).map(({ fields }) => fields)).toEqual([RULE]);
  });

  it("keep their content out of the message that one of them is damaged", async () => {
    const records = await edited(ANNOTATION_KIND, NOTE, "Launch", `Secret ${"x".repeat(1000)}`);
    const message = await openKind(ANNOTATION_KIND, records).catch((error: Error) => error.message);
    expect(message).toContain('Field "text" must be 1 to 200 characters');
    expect(message).not.toContain("Secret");
  });
});

describe("changes that cannot be shared", () => {
  it("are a 503, however many there are", async () => {
    const parts = { valueOf: () => null, changedMsOf: () => 0, publish: () => Promise.reject(new Error("no connection")) };
    const changes = new SharedChanges<null>({ ...parts, textOf: () => "" });
    const many = Array.from({ length: 200_000 }, (_, i) => ({ key: `${i}.example`, value: null, changedMs: NOW }));
    expect(await codeOf(changes.spread(many, async () => {}))).toBe("unavailable");
  });
});

describe("items of a site on several nodes", () => {
  it("take over later changes item by item, and no earlier ones", async () => {
    const collection = await open(createMemoryRecordStore());
    const here = await add(collection, A, "here");
    const id = "f".repeat(32);
    const at = (changedMs: number, name: string): ItemChange<Named> => ({
      key: `${A}/${id}`,
      changedMs,
      value: { id, createdAt: "2026-01-01T00:00:00.000Z", changedMs, fields: { name } },
    });
    await collection.receive([at(NOW + 5, "there"), { key: `${A}/${here.id}`, changedMs: NOW - 1, value: null }], signal);
    expect(namesIn(collection, A)).toEqual(["there", "here"]);
    await collection.receive([at(NOW + 4, "earlier")], signal);
    expect(namesIn(collection, A)).toEqual(["there", "here"]);
    await collection.receive([{ key: `${A}/${id}`, changedMs: NOW + 6, value: null }], signal);
    await collection.receive([at(NOW + 5, "late")], signal);
    expect(namesIn(collection, A)).toEqual(["here"]);
  });

  it("are those published last if several were made at the same time, in order of creation on all nodes", async () => {
    const [one, other] = [await open(createMemoryRecordStore()), await open(createMemoryRecordStore())];
    const second = await add(one, A, "second");
    await other.receive([...one.all()], signal);
    nowMs = NOW - 5;
    await add(one, A, "first");
    await other.receive([...one.all()], signal);
    expect([one, other].map((each) => namesIn(each, A))).toEqual([
      ["first", "second"],
      ["first", "second"],
    ]);
    nowMs = NOW + 1;
    await rename(one, second, "renamed");
    await remove(other, second);
    const key = `${A}/${second.id}` as const;
    const removal = { key, changedMs: NOW + 1, value: null };
    const renaming = { key, changedMs: NOW + 1, value: one.get(A, second.id) };
    for (const each of [one, other]) await each.receive([removal], signal);
    expect([one, other].map((each) => each.get(A, second.id))).toEqual([null, null]);
    for (const each of [one, other]) await each.receive([renaming], signal);
    expect([one, other].map((each) => each.get(A, second.id)?.fields.name)).toEqual(["renamed", "renamed"]);
    expect([removal, renaming].map((change) => one.isReplacedBy(change))).toEqual([true, false]);
  });

  it("get a later time than the item they replace, and than a change that failed here, whatever the clock", async () => {
    const records = fragile();
    const published: ItemChange<Named>[] = [];
    let isReached = true;
    const collection = await open(records, async (changes) => {
      published.push(...changes);
      if (!isReached) throw new Error("no response");
    });
    const item = await add(collection, A, "one");
    await collection.receive([{ key: `${A}/${item.id}`, changedMs: NOW + 500, value: { ...item, changedMs: NOW + 500 } }], signal);
    records.fails = true;
    expect(await codeOf(rename(collection, item, "not stored"))).toBe("unavailable");
    records.fails = false;
    isReached = false;
    expect(await codeOf(rename(collection, item, "perhaps shared"))).toBe("unavailable");
    isReached = true;
    await remove(collection, item);
    expect(published.map((change) => [change.value?.fields.name, change.changedMs - NOW])).toEqual([
      ["one", 0],
      ["not stored", 501],
      ["one", 502],
      ["perhaps shared", 503],
      [undefined, 504],
    ]);
  });

  it("are published before they are stored here, and withdrawn if that fails", async () => {
    const records = fragile();
    const published: ItemChange<Named>[] = [];
    const collection = await open(records, async (changes) => void published.push(...changes));
    const item = await add(collection, A, "one");
    records.fails = true;
    await expect(rename(collection, item, "two")).rejects.toThrow("could not be stored");
    expect(published.map((change) => [change.value?.fields.name, change.changedMs - NOW])).toEqual([
      ["one", 0],
      ["two", 1],
      ["one", 2],
    ]);
  });

  it("are not changed here if the other nodes cannot be reached", async () => {
    const records = createMemoryRecordStore();
    const collection = await open(records, () => Promise.reject(new Error("no connection")));
    await expect(add(collection, A, "one")).rejects.toThrow("could not be shared with the other nodes");
    expect([collection.of(A), await records.list("goals/")]).toEqual([[], []]);
  });
});
