/**
 * Goals, saved filters and annotations: what people create for a site and address by id. Each kind is a collection. The items of one kind
 * and site are one record, kept in memory. A change counts once it is durable.
 */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import {
  damagedRecord,
  isInstant,
  readJsonRecord,
  createJsonRecord,
  replaceJsonRecord,
  updateJsonRecord,
  type JsonObject,
} from "../../storage/json-record.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { toHex, createSha256, type Sha256 } from "../base/bytes.ts";
import { isObject } from "../base/body.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import { severalAtOnce } from "../../storage/several-at-once.ts";
import { COLLECTION_BYTES_MAX, COLLECTION_CHANGES_WAITING_MAX, SITE_RECORDS_MAX_AT_ONCE } from "../base/config/admin-limits.ts";
import { AppError, invalidInput, storageUnavailable } from "../base/errors.ts";
import { SerialQueue } from "../base/queue.ts";
import { Removals } from "./removals.ts";
import { isSiteId } from "../base/config/names.ts";
import { exceedsBytes } from "../../shared/text.ts";

/** The kinds of items, which are also the folders of their records. */
export const COLLECTIONS = ["goals", "segments", "annotations"] as const;
type CollectionName = (typeof COLLECTIONS)[number];

/** A kind of items: where they are stored, how many a site may have, and how their fields are written. */
export interface CollectionKind<Fields> {
  readonly name: CollectionName;
  readonly itemsMax: number;
  readonly json: (fields: Fields) => JsonObject;
  /** Throws if it is not what `json` made. */
  readonly parse: (json: JsonObject) => Fields;
}

/** The parts needed for reading. */
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

/** Named by the hash of the site's id, like the record of its settings. */
const collectionRecordOf = ({ name }: Pick<CollectionKind<never>, "name">, siteId: SiteId, sha256: Sha256): string =>
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

const itemsJson = <Fields>(kind: CollectionKind<Fields>, siteId: SiteId, items: Iterable<Item<Fields>>): JsonObject => ({
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

/** null if the name is not that of such a record, or the record is gone. Rejects if it is damaged. */
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

const ID_BYTES = 16;

/** An item after a change; null after its removal. */
export interface ItemChange<Fields> {
  readonly siteId: SiteId;
  readonly id: string;
  readonly item: Item<Fields> | null;
  /** The later of two changes of an item counts, on whichever instance it was made; of two at the same time, the one published last. */
  readonly changedMs: EpochMs;
}

interface CollectionParts<Fields> {
  readonly records: RecordStore;
  /** Sites that may have items. */
  readonly sitesMax: number;
  readonly now: () => EpochMs;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly log: Log;
  /** Gives changes to other instances, before they are stored here. A rejection refuses them, but some may have reached others. */
  readonly publish?: ((changes: readonly ItemChange<Fields>[]) => Promise<void>) | undefined;
}

type Items<Fields> = ReadonlyMap<string, Item<Fields>>;

const NONE: Items<never> = new Map();

export class Collection<Fields extends object> {
  readonly kind: CollectionKind<Fields>;
  readonly #parts: CollectionParts<Fields>;
  readonly #sha256: Sha256;
  readonly #known = new Map<SiteId, Items<Fields>>();
  /** Removed items, by `keyOf`. */
  readonly #removals = new Removals<string>();
  /** The latest change that other instances may have though it does not count here: the next one has to be later. */
  #withdrawnMs: EpochMs = 0;
  readonly #queue = new SerialQueue({ waitingMax: COLLECTION_CHANGES_WAITING_MAX, retryAfterSecs: 1 });

  private constructor(kind: CollectionKind<Fields>, parts: CollectionParts<Fields>, sha256: Sha256) {
    this.kind = kind;
    this.#parts = parts;
    this.#sha256 = sha256;
  }

  /** Rejects when a record is damaged: the next change of its site would lose what it held. */
  static async open<Fields extends object>(kind: CollectionKind<Fields>, parts: CollectionParts<Fields>): Promise<Collection<Fields>> {
    const { records, log } = parts;
    const sha256 = await createSha256();
    const collection = new Collection(kind, parts, sha256);
    await severalAtOnce(await records.list(`${kind.name}/`), SITE_RECORDS_MAX_AT_ONCE, async (name) => {
      const record = await readCollectionRecord(records, name, kind, sha256);
      if (record) collection.#known.set(record.siteId, new Map(record.items.map((item) => [item.id, item])));
      else log.warn(`a record among the ${kind.name} is not that of a site and is ignored`, { name });
    });
    return collection;
  }

  /** The items of a site, in the order in which they were made. */
  of(siteId: SiteId): Item<Fields>[] {
    return [...(this.#known.get(siteId) ?? NONE).values()];
  }

  get(siteId: SiteId, id: string): Item<Fields> | null {
    return this.#known.get(siteId)?.get(id) ?? null;
  }

  /** Items of all sites. */
  *all(): Generator<ItemChange<Fields>> {
    for (const [siteId, items] of this.#known) for (const [id, item] of items) yield { siteId, id, item, changedMs: item.changedMs };
  }

  /** 404 for an unknown id. */
  existing(siteId: SiteId, id: string): Item<Fields> {
    const item = this.get(siteId, id);
    if (item === null) throw new AppError({ code: "not_found" }, `No ${this.kind.name.slice(0, -1)} with this id`);
    return item;
  }

  /** An id that no item has. */
  newId(): string {
    return toHex(this.#parts.randomBytes(ID_BYTES));
  }

  removeSite(siteId: SiteId, signal: AbortSignal): Promise<void> {
    return this.change(siteId, (items) => new Map(items.map(({ id }) => [id, null])), signal);
  }

  /** `changesOf` gets the items of the site, and may refuse. 400 for too many; 503, and no change, if they cannot be stored. */
  change(siteId: SiteId, changesOf: (items: Item<Fields>[]) => FieldsById<Fields>, signal: AbortSignal): Promise<void> {
    return this.#queue.run(async () => {
      const changes = Array.from(changesOf(this.of(siteId)), ([id, fields]) => this.#changeNow(siteId, id, fields));
      if (changes.length === 0) return;
      this.#checkRoom(siteId, changes);
      await this.#publish(changes).catch((cause: unknown) => {
        this.#noteWithdrawn(changes);
        notShared(cause);
      });
      await this.#store(siteId, changes).catch(async (cause: unknown) => {
        await this.#withdraw(changes);
        notStored(cause);
      });
    }, signal);
  }

  /** Stores what other instances have published, as far as it replaces what is known here. */
  receive(changes: readonly ItemChange<Fields>[], signal: AbortSignal): Promise<void> {
    return this.#queue.run(async () => {
      const replacing = changes.filter((change) => this.isReplacedBy(change));
      for (const siteId of new Set(replacing.map((change) => change.siteId)))
        await this.#store(
          siteId,
          replacing.filter((change) => change.siteId === siteId),
        );
    }, signal);
  }

  /** True if a published change counts instead of what is known here. At the same time, it does: no other was published after it. */
  isReplacedBy(change: ItemChange<Fields>): boolean {
    const knownMs = this.#changedMsOf(change);
    if (change.changedMs !== knownMs) return change.changedMs > knownMs;
    const textOf = (item: Item<Fields> | null) => item && JSON.stringify(itemJson(this.kind, item));
    return textOf(change.item) !== textOf(this.get(change.siteId, change.id));
  }

  /** Time of the last change or removal of an item; 0 if unknown. */
  #changedMsOf({ siteId, id }: Pick<ItemChange<Fields>, "siteId" | "id">): EpochMs {
    return this.get(siteId, id)?.changedMs ?? this.#removals.timeOf(keyOf(siteId, id)) ?? 0;
  }

  #changeNow(siteId: SiteId, id: string, fields: Fields | null): ItemChange<Fields> {
    const before = this.get(siteId, id);
    const nowMs = this.#parts.now();
    const changedMs = Math.max(nowMs, this.#changedMsOf({ siteId, id }) + 1, this.#withdrawnMs + 1);
    const createdAt = before?.createdAt ?? new Date(nowMs).toISOString();
    return { siteId, id, changedMs, item: fields && { id, createdAt, changedMs, fields } };
  }

  #after(siteId: SiteId, changes: readonly ItemChange<Fields>[]): Items<Fields> {
    const items = new Map(this.#known.get(siteId) ?? NONE);
    for (const { id, item } of changes) {
      if (item) items.set(id, item);
      else items.delete(id);
    }
    // Those of other instances come in any order.
    return new Map([...items].sort(([, a], [, b]) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt))));
  }

  #checkRoom(siteId: SiteId, changes: readonly ItemChange<Fields>[]): void {
    const { name, itemsMax } = this.kind;
    const items = this.#after(siteId, changes);
    const isMore = items.size > (this.#known.get(siteId)?.size ?? 0);
    if (isMore && items.size > itemsMax)
      throw invalidInput(`There are already ${itemsMax} ${name} of this site, the maximum. Delete one first.`);
    if (isMore && !this.#known.has(siteId) && this.#known.size >= this.#parts.sitesMax)
      throw invalidInput(`There may be ${name} of ${this.#parts.sitesMax} sites at most. Raise max_sites to allow more`);
    const isRemoval = changes.every(({ item }) => item === null);
    if (!isRemoval && exceedsBytes(JSON.stringify(itemsJson(this.kind, siteId, items.values())), COLLECTION_BYTES_MAX))
      throw invalidInput(`The ${name} of this site take more than ${COLLECTION_BYTES_MAX} bytes together. Delete one first.`);
  }

  async #publish(changes: readonly ItemChange<Fields>[]): Promise<void> {
    await this.#parts.publish?.(changes);
  }

  /** Other instances get back what they had. If that fails too, they keep the changes, and this one gets them from there. */
  async #withdraw(changes: readonly ItemChange<Fields>[]): Promise<void> {
    const withdrawn = changes.map((change) => {
      const before = this.get(change.siteId, change.id);
      const changedMs = change.changedMs + 1;
      return { ...change, changedMs, item: before && { ...before, changedMs } };
    });
    this.#noteWithdrawn(withdrawn);
    await this.#publish(withdrawn).catch(() => {
      // The caller gets the error of the write.
    });
  }

  #noteWithdrawn(changes: readonly ItemChange<Fields>[]): void {
    this.#withdrawnMs = changes.reduce((latestMs, { changedMs }) => Math.max(latestMs, changedMs), this.#withdrawnMs);
  }

  /** A failure leaves the site's previous items, which also count at the next start. */
  async #store(siteId: SiteId, changes: readonly ItemChange<Fields>[]): Promise<void> {
    const items = this.#after(siteId, changes);
    await this.#write(siteId, items);
    if (items.size > 0) this.#known.set(siteId, items);
    else this.#known.delete(siteId);
    for (const { id, item, changedMs } of changes) if (item === null) this.#removals.add(keyOf(siteId, id), changedMs);
  }

  async #write(siteId: SiteId, items: Items<Fields>): Promise<void> {
    const { records } = this.#parts;
    const name = collectionRecordOf(this.kind, siteId, this.#sha256);
    const before = this.#known.get(siteId);
    const jsonOf = (all: Items<Fields>) => itemsJson(this.kind, siteId, all.values());
    if (items.size === 0) {
      await records.remove(name).catch(async (error: unknown) => {
        if (before) await replaceJsonRecord(records, name, jsonOf(before)).catch(() => {});
        throw error;
      });
    } else if (before) await updateJsonRecord(records, name, { from: jsonOf(before), to: jsonOf(items) });
    else await createJsonRecord(records, name, jsonOf(items));
  }
}

const keyOf = (siteId: SiteId, id: string): string => `${siteId}/${id}`;

function notStored(cause: unknown): never {
  throw storageUnavailable("The change could not be stored, and nothing is changed. Try again later.", cause);
}

/** It is not known whether the others have the change. */
function notShared(cause: unknown): never {
  throw storageUnavailable("The change could not be shared with the other nodes and may not count. Try again later.", cause);
}
