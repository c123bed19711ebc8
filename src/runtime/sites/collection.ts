/**
 * Goals, saved filters, annotations and rules: what people create for a site and address by id. Each kind is a collection. The items of one kind
 * and site are one record, kept in memory. A change counts once it is durable.
 */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { isInstant, type JsonObject, type RecordStore } from "../../storage/record-store.ts";
import { toHex, createSha256, type Sha256 } from "../base/bytes.ts";
import { isObject } from "../base/body.ts";
import type { Log } from "../base/metrics/log.ts";
import { COLLECTION_BYTES_MAX, COLLECTION_CHANGES_WAITING_MAX } from "../base/config/admin-limits.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import { RecordTable, type RecordKind, type SiteBelongings } from "../base/record-table.ts";
import { SharedChanges, type Change, type Publish, type SharedKind, type SharedTable } from "./shared-changes.ts";
import { isSiteId } from "../base/config/names.ts";
import { exceedsBytes } from "../../shared/text.ts";

/** The kinds of items, which are also the folders of their records. */
export const COLLECTIONS = ["goals", "segments", "annotations", "rules"] as const;
type CollectionName = (typeof COLLECTIONS)[number];

/** A kind of items: where they are stored, how many a site may have, and how their fields are written. */
export interface CollectionKind<Fields> {
  readonly name: CollectionName;
  readonly itemsMax: number;
  readonly json: (fields: Fields) => JsonObject;
  /** Throws if it is not what `json` made. */
  readonly parse: (json: JsonObject) => Fields;
}

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

const itemJson = <Fields>({ json }: CollectionKind<Fields>, { fields, ...item }: Item<Fields>): JsonObject => ({
  ...item,
  fields: json(fields),
});

/** Throws if it is not what `itemJson` made. */
function parseItem<Fields>(kind: CollectionKind<Fields>, { id, createdAt, changedMs, fields }: JsonObject): Item<Fields> {
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) throw new Error("an entry has no valid id");
  if (!isInstant(createdAt)) throw new Error("an entry has no time of creation");
  if (!Number.isSafeInteger(changedMs)) throw new Error("an entry has no time of its change");
  if (!isObject(fields)) throw new Error("an entry has no fields");
  return { id, createdAt, changedMs: changedMs as EpochMs, fields: kind.parse(fields) };
}

/** The items of one site by id, in order of creation. */
interface SiteItems<Fields> {
  readonly siteId: SiteId;
  readonly items: ReadonlyMap<string, Item<Fields>>;
}

function parseSiteItems<Fields>(kind: CollectionKind<Fields>, { siteId, items }: JsonObject): SiteItems<Fields> {
  if (typeof siteId !== "string" || !isSiteId(siteId)) throw new Error("it names no site");
  if (!Array.isArray(items) || !items.every(isObject)) throw new Error("it holds no list");
  const byId = new Map(items.map((item) => parseItem(kind, item)).map((item) => [item.id, item]));
  if (byId.size < items.length) throw new Error("two of its entries have the same id");
  return { siteId, items: byId };
}

export const itemRecords = <Fields>(kind: CollectionKind<Fields>, sha256: Sha256): RecordKind<SiteItems<Fields>, SiteId> => ({
  folder: kind.name,
  keyOf: ({ siteId }) => siteId,
  hashOf: (siteId) => toHex(sha256(siteId)),
  json: ({ siteId, items }) => ({ siteId, items: Array.from(items.values(), (item) => itemJson(kind, item)) }),
  parse: (json) => parseSiteItems(kind, json),
});

/** Identifies an item among those of all sites: site ids contain no slash. */
type ItemKey = `${SiteId}/${string}`;

function partsOfKey(key: string): { readonly siteId: SiteId; readonly id: string } {
  const [siteId = "", id = ""] = key.split("/");
  if (!isSiteId(siteId)) throw new Error("its key names no site");
  return { siteId, id };
}

/** Cluster nodes share items one by one, so that changes of two nodes do not undo each other. */
export const sharedItems = <Fields>(kind: CollectionKind<Fields>): SharedKind<Item<Fields>, ItemKey> => ({
  prefix: `${kind.name}/`,
  json: (item) => itemJson(kind, item),
  parse(json, key, changedMs) {
    const item = parseItem(kind, json);
    if (item.id !== partsOfKey(key).id) throw new Error("its key has another id");
    return { ...item, changedMs };
  },
  parseKey(text) {
    const { siteId, id } = partsOfKey(text);
    return `${siteId}/${id}`;
  },
});

const ID_BYTES = 16;

type ItemChange<Fields> = Change<Item<Fields>, ItemKey>;

interface CollectionParts<Fields> {
  readonly records: RecordStore;
  /** Maximum number of sites with items. */
  readonly sitesMax: number;
  readonly now: () => EpochMs;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly log: Log;
  /** Absent if no other instance has the items. */
  readonly publish?: Publish<Item<Fields>, ItemKey> | undefined;
  /** Called after a change is durable. If it fails, so does the change, which counts. */
  readonly afterChange?: (() => Promise<void>) | undefined;
}

export class Collection<Fields extends object> implements SharedTable<Item<Fields>, ItemKey>, SiteBelongings<SiteId> {
  readonly kind: CollectionKind<Fields>;
  readonly sharedKind: SharedKind<Item<Fields>, ItemKey>;
  readonly #parts: CollectionParts<Fields>;
  readonly #records: RecordKind<SiteItems<Fields>, SiteId>;
  readonly #table: RecordTable<SiteItems<Fields>, SiteId>;
  readonly #shared: SharedChanges<Item<Fields>, ItemKey>;

  private constructor(
    kind: CollectionKind<Fields>,
    parts: CollectionParts<Fields>,
    records: RecordKind<SiteItems<Fields>, SiteId>,
    table: RecordTable<SiteItems<Fields>, SiteId>,
  ) {
    this.kind = kind;
    this.sharedKind = sharedItems(kind);
    this.#parts = parts;
    this.#records = records;
    this.#table = table;
    this.#shared = new SharedChanges({
      publish: parts.publish,
      valueOf: (key) => this.#itemOf(key),
      changedMsOf: ({ changedMs }) => changedMs,
      textOf: (item) => JSON.stringify(itemJson(kind, item)),
    });
  }

  /** Rejects when a record is damaged: the next change of its site would lose what it held. */
  static async open<Fields extends object>(kind: CollectionKind<Fields>, parts: CollectionParts<Fields>): Promise<Collection<Fields>> {
    const records = itemRecords(kind, await createSha256());
    const table = await RecordTable.open(records, { ...parts, changesWaitingMax: COLLECTION_CHANGES_WAITING_MAX });
    return new Collection(kind, parts, records, table);
  }

  of(siteId: SiteId): Item<Fields>[] {
    return [...(this.#table.get(siteId)?.items.values() ?? [])];
  }

  get(siteId: SiteId, id: string): Item<Fields> | null {
    return this.#table.get(siteId)?.items.get(id) ?? null;
  }

  *all(): Generator<ItemChange<Fields>> {
    for (const { siteId, items } of this.#table.values())
      for (const [id, item] of items) yield { key: `${siteId}/${id}`, value: item, changedMs: item.changedMs };
  }

  /** 404 for an unknown id. */
  existing(siteId: SiteId, id: string): Item<Fields> {
    const item = this.get(siteId, id);
    if (item === null) throw new AppError({ code: "not_found" }, `No ${this.kind.name.slice(0, -1)} with this id`);
    return item;
  }

  newId(): string {
    return toHex(this.#parts.randomBytes(ID_BYTES));
  }

  removeSite(siteId: SiteId, signal: AbortSignal): Promise<void> {
    return this.change(siteId, (items) => new Map(items.map(({ id }) => [id, null])), signal);
  }

  // See `SiteBelongings`.

  hasSite(siteId: SiteId): boolean {
    return this.#table.get(siteId) !== null;
  }

  inTurn<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#table.inTurn(task, signal);
  }

  moveSite(from: SiteId, to: SiteId): void {
    const changes = this.of(from).map((value): ItemChange<Fields> => ({ key: `${to}/${value.id}`, value, changedMs: value.changedMs }));
    const later = changes.filter(({ key, changedMs }) => changedMs > (this.#itemOf(key)?.changedMs ?? 0));
    if (later.length > 0) this.#table.set(to, this.#after(to, later));
    this.#table.set(from, null);
  }

  async saveMoved(from: SiteId, to: SiteId): Promise<void> {
    await this.#table.save(to);
    await this.#table.store(from, null);
  }

  /** `changesOf` gets the items of the site, and may refuse. 400 for too many; 503, and no change, if they cannot be stored. */
  change(siteId: SiteId, changesOf: (items: Item<Fields>[]) => FieldsById<Fields>, signal: AbortSignal): Promise<void> {
    return this.#table.inTurn(async () => {
      const changes = Array.from(changesOf(this.of(siteId)), ([id, fields]) => this.#changeNow(siteId, id, fields));
      if (changes.length === 0) return;
      this.#checkRoom(siteId, changes);
      await this.#shared.spread(changes, () => this.#store(siteId, changes));
      await this.#parts.afterChange?.();
    }, signal);
  }

  receive(changes: readonly ItemChange<Fields>[], signal: AbortSignal): Promise<void> {
    return this.#table.inTurn(async () => {
      const bySite = new Map<SiteId, ItemChange<Fields>[]>();
      for (const change of changes.filter((each) => this.isReplacedBy(each))) {
        const { siteId } = partsOfKey(change.key);
        bySite.set(siteId, [...(bySite.get(siteId) ?? []), change]);
      }
      for (const [siteId, ofSite] of bySite) await this.#store(siteId, ofSite);
    }, signal);
  }

  isReplacedBy(change: ItemChange<Fields>): boolean {
    return this.#shared.isReplacedBy(change);
  }

  #itemOf(key: ItemKey): Item<Fields> | null {
    const { siteId, id } = partsOfKey(key);
    return this.get(siteId, id);
  }

  #changeNow(siteId: SiteId, id: string, fields: Fields | null): ItemChange<Fields> {
    const key: ItemKey = `${siteId}/${id}`;
    const nowMs = this.#parts.now();
    const changedMs = this.#shared.nextMs(key, nowMs);
    const createdAt = this.get(siteId, id)?.createdAt ?? new Date(nowMs).toISOString();
    return { key, changedMs, value: fields && { id, createdAt, changedMs, fields } };
  }

  #after(siteId: SiteId, changes: readonly ItemChange<Fields>[]): SiteItems<Fields> {
    const items = new Map(this.#table.get(siteId)?.items);
    for (const { key, value } of changes) {
      const { id } = partsOfKey(key);
      if (value) items.set(id, value);
      else items.delete(id);
    }
    // Items of other instances come in any order.
    const ordered = [...items].sort(([, a], [, b]) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt)));
    return { siteId, items: new Map(ordered) };
  }

  #checkRoom(siteId: SiteId, changes: readonly ItemChange<Fields>[]): void {
    const { name, itemsMax } = this.kind;
    const [before, after] = [this.#table.get(siteId), this.#after(siteId, changes)];
    const isMore = after.items.size > (before?.items.size ?? 0);
    if (isMore && after.items.size > itemsMax)
      throw invalidInput(`There are already ${itemsMax} ${name} of this site, the maximum. Delete one first.`);
    if (isMore && before === null && this.#table.size >= this.#parts.sitesMax)
      throw invalidInput(`There may be ${name} of ${this.#parts.sitesMax} sites at most. Raise max_sites to allow more`);
    const isRemoval = changes.every(({ value }) => value === null);
    if (!isRemoval && exceedsBytes(JSON.stringify(this.#records.json(after)), COLLECTION_BYTES_MAX))
      throw invalidInput(`The ${name} of this site take more than ${COLLECTION_BYTES_MAX} bytes together. Delete one first.`);
  }

  async #store(siteId: SiteId, changes: readonly ItemChange<Fields>[]): Promise<void> {
    const after = this.#after(siteId, changes);
    await this.#table.put(siteId, after.items.size > 0 ? after : null);
    for (const change of changes) this.#shared.noteApplied(change);
  }
}
