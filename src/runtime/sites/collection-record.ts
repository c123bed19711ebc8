/** The record of a site's items of one kind, such as its goals. */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { damagedRecord, isInstant, readJsonRecord, type JsonObject } from "../../storage/json-record.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { toHex, type Sha256 } from "../base/sha256.ts";
import { isObject } from "../base/config/json-fields.ts";
import { isSiteId } from "../base/config/names.ts";
import { reasonOf } from "../base/metrics/log.ts";

/** The kinds of items, which are also the folders of their records. */
export const COLLECTIONS = ["goals", "segments", "annotations"] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

/** What makes a kind of items: where they are kept, how many a site may have, and how their fields are written. */
export interface CollectionKind<Fields> {
  readonly name: CollectionName;
  readonly itemsMax: number;
  readonly json: (fields: Fields) => JsonObject;
  /** Throws if it is not what `json` made. */
  readonly parse: (json: JsonObject) => Fields;
}

/** What reading takes. */
type Parsed<Fields> = Pick<CollectionKind<Fields>, "name" | "parse">;

export interface Item<Fields> {
  /** Random, so that nobody finds one by trying. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly changedMs: EpochMs;
  readonly fields: Fields;
}

/** New fields by id, or null to remove an item. An unknown id is that of a new item. */
export type FieldsById<Fields> = ReadonlyMap<string, Fields | null>;

/** By the hash of the site's id, as the record of its settings is. */
export const collectionRecordOf = ({ name }: Pick<CollectionKind<never>, "name">, siteId: SiteId, sha256: Sha256): string =>
  `${name}/${toHex(sha256(siteId))}.json`;

export const itemJson = <Fields>({ json }: CollectionKind<Fields>, { fields, ...item }: Item<Fields>): JsonObject => ({
  ...item,
  fields: json(fields),
});

/** Throws if it is not what `itemJson` made. */
export function parseItem<Fields>({ parse }: Parsed<Fields>, { id, createdAt, changedMs, fields }: JsonObject): Item<Fields> {
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) throw new Error("an entry has no id");
  if (!isInstant(createdAt)) throw new Error("an entry has no time of creation");
  if (!Number.isSafeInteger(changedMs)) throw new Error("an entry has no time of its change");
  if (!isObject(fields)) throw new Error("an entry has no fields");
  return { id, createdAt, changedMs: changedMs as EpochMs, fields: parse(fields) };
}

export const itemsJson = <Fields>(kind: CollectionKind<Fields>, siteId: SiteId, items: Iterable<Item<Fields>>): JsonObject => ({
  siteId,
  items: Array.from(items, (item) => itemJson(kind, item)),
});

interface CollectionRecord<Fields> {
  readonly siteId: SiteId;
  readonly items: readonly Item<Fields>[];
}

function parseCollectionRecord<Fields>(kind: Parsed<Fields>, { siteId, items }: JsonObject): CollectionRecord<Fields> {
  if (typeof siteId !== "string" || !isSiteId(siteId)) throw new Error("it names no site");
  if (!Array.isArray(items) || !items.every(isObject)) throw new Error("it holds no list");
  const parsed = items.map((item) => parseItem(kind, item));
  if (new Set(parsed.map(({ id }) => id)).size < parsed.length) throw new Error("two of its entries have the same id");
  return { siteId, items: parsed };
}

/** Null if the name is not that of such a record, or the record is gone. Rejects if it is damaged. */
export async function readCollectionRecord<Fields>(
  records: Pick<RecordStore, "read">,
  name: string,
  kind: Parsed<Fields>,
  sha256: Sha256,
): Promise<CollectionRecord<Fields> | null> {
  const json = /^[a-z]+\/[0-9a-f]{64}\.json$/.test(name) ? await readJsonRecord(records, name) : null;
  if (json === null) return null;
  try {
    const record = parseCollectionRecord(kind, json);
    if (collectionRecordOf(kind, record.siteId, sha256) !== name) throw new Error("it is of another site");
    return record;
  } catch (error) {
    throw damagedRecord(name, reasonOf(error));
  }
}
