/** Goals, segments and annotations on several nodes: each item is a record of its own, so that changes of two nodes do not undo each other. */
import type { SiteId } from "../../../storage/event.ts";
import type { JsonObject } from "../../../storage/json-record.ts";
import { isSiteId } from "../../base/config/names.ts";
import type { SharedRecord } from "../shared-settings.ts";
import { itemJson, parseItem, type Collection, type ItemChange, type CollectionKind } from "../../sites/collection.ts";

/** No site's id has a slash. */
const keyOf = ({ name }: Pick<CollectionKind<never>, "name">, siteId: SiteId, id: string): string => `${name}/${siteId}/${id}`;

export const isItemKey = (key: string): boolean => key.includes("/");

export const sharedItemOf =
  <Fields>(kind: CollectionKind<Fields>) =>
  ({ siteId, id, item, changedMs }: ItemChange<Fields>): SharedRecord => ({
    key: keyOf(kind, siteId, id),
    json: item && JSON.stringify(itemJson(kind, item)),
    changedMs,
  });

function itemChangeIn<Fields>(kind: CollectionKind<Fields>, { key, json, changedMs }: SharedRecord): ItemChange<Fields> {
  const [, siteId = "", id = ""] = key.split("/");
  if (!isSiteId(siteId)) throw new Error("it is of no site");
  const item = json === null ? null : { ...parseItem(kind, JSON.parse(json) as JsonObject), changedMs };
  if (item && item.id !== id) throw new Error("it is of another id");
  return { siteId, id, changedMs, item };
}

/** A collection as the nodes share it. */
export interface SharedItems {
  /** Stores what other nodes have, as far as it replaces what is known here. `parsed` leaves out what cannot be read. */
  receive(shared: readonly SharedRecord[], parsed: Parsed, signal: AbortSignal): Promise<void>;
  /** Records that the other nodes lack, or have in an earlier version. */
  missingIn(shared: readonly SharedRecord[]): SharedRecord[];
}

export type Parsed = <T>(shared: SharedRecord, parse: (shared: SharedRecord) => T) => T[];

export const sharedItems = <Fields extends object>(collection: Collection<Fields>): SharedItems => ({
  async receive(shared, parsed, signal) {
    const { kind } = collection;
    const own = shared.filter(({ key }) => key.startsWith(`${kind.name}/`));
    const changes = own.flatMap((record) => parsed(record, (each) => itemChangeIn(kind, each)));
    const replacing = changes.filter((change) => collection.isReplacedBy(change));
    if (replacing.length > 0) await collection.receive(replacing, signal);
  },
  missingIn(shared) {
    const sharedMs = new Map(shared.map(({ key, changedMs }) => [key, changedMs]));
    return Array.from(collection.all(), sharedItemOf(collection.kind)).filter(
      ({ key, changedMs }) => (sharedMs.get(key) ?? -1) < changedMs,
    );
  },
});
