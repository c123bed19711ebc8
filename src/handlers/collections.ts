/** What routes of goals, segments and annotations share: whose they are, who may read and change them, and changes of one item. */
import { parseObject } from "../runtime/base/config/json-fields.ts";
import { AppError, invalidInput } from "../runtime/base/errors.ts";
import { oneOf } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope-parameters.ts";
import { checkSite } from "../runtime/query/reader.ts";
import type { Services } from "../runtime/service/services.ts";
import type { Collection, Item } from "../runtime/sites/collection.ts";
import { isOf, type ItemOwner } from "../runtime/sites/item-fields.ts";
import type { SiteId } from "../storage/event.ts";
import type { JsonObject } from "../storage/json-record.ts";
import { requireAdminOf } from "./access.ts";
import { readBody } from "./body.ts";
import type { Context, Handler } from "./context.ts";
import { apiKeysOf } from "./credentials.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";

const siteIn = ({ url }: Context): SiteId => new Query(url).parse({ site_id: SCOPE_PARAMETERS.site_id }).site_id;

/** 403 for a caller who may not read the site, and for guests: definitions name pages and events that may not be shared. */
export function readSite(context: Context): SiteId {
  const { reader } = context;
  if (reader.principal.view !== null) throw new AppError({ code: "forbidden" }, "A share link may only read the statistics of its site");
  const siteId = siteIn(context);
  checkSite(reader, siteId);
  return siteId;
}

/** 403 for a caller who may not change the site. */
export function administeredSite(context: Context): SiteId {
  const siteId = siteIn(context);
  requireAdminOf(siteId, context);
  return siteId;
}

/** A random text that a browser keeps and sends, and nobody else knows. */
const OWNER = /^[A-Za-z0-9_-]{22,128}$/;

/** The hash by which the caller is recognized, also after another login; null for a session without the header `X-Owner`. */
function callerOf(request: Request, { services }: Context): ItemOwner {
  const secret = request.headers.get("x-owner");
  if (secret !== null && !OWNER.test(secret)) throw invalidInput('Header "X-Owner" must be 22 to 128 letters, digits, "_" and "-"');
  const [known = null] = secret === null ? apiKeysOf(request) : [secret];
  return known === null ? null : services.hashOfOwner(known);
}

/** The parameter of lists of items that have owners. */
export const OWNERS = {
  owners: oneOf(
    "Whose are listed besides those for everybody: the caller's own, or with `all` those of every owner. Only administrators of the site " +
      "may ask for `all`: what was made for oneself with a lost browser or a revoked key counts towards the maximum until it is deleted.",
    ["caller", "all"],
  ),
};

interface Owned {
  readonly owner: ItemOwner;
}

/** The items that a request lists. 403 if it asks for those of all owners, and the caller does not administer the site. */
export function listedItems<Fields extends Owned>(
  collection: Collection<Fields>,
  siteId: SiteId,
  request: Request,
  context: Context,
): Item<Fields>[] {
  const { owners } = new Query(context.url).parse(OWNERS);
  if (owners === "all") requireAdminOf(siteId, context);
  const caller = callerOf(request, context);
  return collection.of(siteId).filter(({ fields: { owner } }) => owners === "all" || isOf(owner, caller));
}

interface Asked<Fields> {
  readonly caller: ItemOwner;
  readonly siteId: SiteId;
  /** Null for a new item. */
  readonly before: Item<Fields> | null;
  readonly context: Context;
}

interface OwnedItems<Fields extends Owned> {
  /** Of the path parameter. */
  readonly idName: string;
  readonly collectionOf: (services: Services) => Collection<Fields>;
  readonly parse: (body: JsonObject, asked: Asked<Fields>) => Fields | Promise<Fields>;
  readonly described: (item: Item<Fields>) => object;
}

/** The item, unless it is somebody else's: then it is as unknown as one that does not exist. */
function ownedItem<Fields extends Owned>(collection: Collection<Fields>, siteId: SiteId, id: string, caller: ItemOwner): Item<Fields> {
  const item = collection.get(siteId, id);
  return collection.existing(siteId, item && isOf(item.fields.owner, caller) ? id : "");
}

/** Handlers that add, replace and delete items that have owners. Administrators of the site delete those of other owners, too. */
export function itemHandlers<Fields extends Owned>({ idName, collectionOf, parse, described }: OwnedItems<Fields>) {
  async function store(request: Request, context: Context, id: string, isNew: boolean) {
    const collection = collectionOf(context.services);
    const siteId = administeredSite(context);
    const caller = callerOf(request, context);
    const body = parseObject(await readBody(request));
    const itemNow = () => (isNew ? null : ownedItem(collection, siteId, id, caller));
    const fields = await parse(body, { caller, siteId, before: itemNow(), context });
    const changesOf = () => {
      itemNow();
      return new Map([[id, fields]]);
    };
    await collection.change(siteId, changesOf, context.deadline.signal);
    return jsonReply(described(collection.existing(siteId, id)), isNew ? 201 : 200);
  }
  const postItem: Handler = (request, context) => store(request, context, collectionOf(context.services).newId(), true);
  const putItem: Handler = (request, context) => store(request, context, context.params[idName] ?? "", false);
  const deleteItem: Handler = async (_request, context) => {
    const collection = collectionOf(context.services);
    const siteId = administeredSite(context);
    const id = context.params[idName] ?? "";
    await collection.change(siteId, () => new Map([[collection.existing(siteId, id).id, null]]), context.deadline.signal);
    return jsonReply({ status: "deleted" });
  };
  return { postItem, putItem, deleteItem };
}
