/** The common part of the routes of goals, saved filters, annotations and rules: access, ownership, and changes of one item. */
import { AppError, invalidInput } from "../runtime/base/errors.ts";
import { closed, text } from "../runtime/base/json-schema.ts";
import { oneOf } from "../runtime/query/parameters.ts";
import { checkSite, type Reader, SCOPE_PARAMETERS } from "../runtime/query/scope.ts";
import type { Services } from "../runtime/service/services.ts";
import type { Item, Collection } from "../runtime/sites/collection.ts";
import { isOf, type ItemOwner, ITEM_ID } from "../runtime/sites/item-fields.ts";
import type { SiteId } from "../storage/event.ts";
import type { JsonObject } from "../storage/record-store.ts";
import { requireAdminOf, apiKeysOf } from "./access.ts";
import {
  answer,
  inPath,
  jsonBody,
  BODY_REFUSALS,
  TOO_MANY_VIEWS,
  documented,
  SITE,
  type Operation,
  type Parameter,
} from "./openapi/operation.ts";
import { jsonReply, Query, readJson } from "./http.ts";
import type { Context, Handler } from "./route.ts";

const siteIn = ({ url }: Context): SiteId => new Query(url).parse({ site_id: SCOPE_PARAMETERS.site_id }).site_id;

/** 403 for guests. */
export function refuseGuest({ principal: { view } }: Pick<Reader, "principal">): void {
  if (view !== null) throw new AppError({ code: "forbidden" }, "A share link may only read the statistics of its site");
}

/** 403 for a caller who may not read the site, and for guests: definitions name pages and events that may not be shared. */
export function readSite(context: Context): SiteId {
  const { reader } = context;
  refuseGuest(reader);
  const siteId = siteIn(context);
  checkSite(reader, siteId);
  return siteId;
}

export function administeredSite(context: Context): SiteId {
  const siteId = siteIn(context);
  requireAdminOf(siteId, context);
  return siteId;
}

/** A secret that a browser makes up and keeps. */
const OWNER = /^[A-Za-z0-9_-]{22,128}$/;

/** The hash by which the caller is recognized, also after another login; null for a session without the header `X-Owner`. */
function callerOf(request: Request, { services }: Context): ItemOwner {
  const secret = request.headers.get("x-owner");
  if (secret !== null && !OWNER.test(secret)) throw invalidInput('Header "X-Owner" must be 22 to 128 letters, digits, "_" and "-"');
  const [known = null] = secret === null ? apiKeysOf(request) : [secret];
  return known === null ? null : services.hashOfOwner(known);
}

const OWNERS = {
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
  /** null for a new item. */
  readonly before: Item<Fields> | null;
  readonly context: Context;
}

interface OwnedItems<Fields extends Owned> {
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

/** Administrators of the site delete items of other owners, too. */
export const deleteHandler =
  <Fields extends object>(idName: string, collectionOf: (services: Services) => Collection<Fields>): Handler =>
  async (_request, context) => {
    const collection = collectionOf(context.services);
    const siteId = administeredSite(context);
    const id = context.params[idName] ?? "";
    await collection.change(siteId, () => new Map([[collection.existing(siteId, id).id, null]]), context.deadline.signal);
    return jsonReply({ status: "deleted" });
  };

/** Handlers that add, replace and delete items that have owners. */
export function itemHandlers<Fields extends Owned>({ idName, collectionOf, parse, described }: OwnedItems<Fields>) {
  async function store(request: Request, context: Context, id: string, isNew: boolean) {
    const collection = collectionOf(context.services);
    const siteId = administeredSite(context);
    const caller = callerOf(request, context);
    const body = await readJson(request);
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
  return { postItem, putItem, deleteItem: deleteHandler(idName, collectionOf) };
}

// Description in the OpenAPI document

const SCHEMAS = {
  Deleted: closed({ status: text("Constant.", { const: "deleted" }) }),
};

export const idParameter = (name: string, description: string): Parameter =>
  inPath(name, description, ITEM_ID, "0123456789abcdef0123456789abcdef");

export const LIST_REFUSALS = { invalid_input: "`site_id` is missing or no site id.", too_many_requests: TOO_MANY_VIEWS } as const;

export const CHANGE_REFUSALS = {
  invalid_input: "`site_id` is missing or no site id.",
  too_many_requests: "Too many changes are waiting to be stored.",
  request_timeout: "The change was not stored within the time limit. It may be stored later.",
  unavailable: "The change could not be stored, and nothing is changed; try again.",
} as const;

export const NOT_FOUND = { not_found: "The site has none with this id." } as const;
const NOT_OWNED = { not_found: "The site has none with this id, or it is somebody else's." } as const;

const ITEM_BODY_REFUSALS = {
  ...BODY_REFUSALS,
  invalid_input:
    "A parameter or the header `X-Owner` is invalid, the body is not JSON, a field is unknown or breaks its rule, or the site has the maximum number.",
} as const;

const OWNER_HEADER: Parameter = {
  name: "X-Owner",
  in: "header",
  description: "A random text by which a browser is known: entries for oneself are those that were made with the same one, or API key.",
  schema: text("Of which only a hash is stored.", { minLength: 22, maxLength: 128, pattern: "^[A-Za-z0-9_-]+$" }),
  example: "0123456789abcdefghij_-",
};

type ItemRoutes<Path extends string, Id extends string> = Readonly<
  Record<`${"GET" | "POST"} ${Path}` | `${"PUT" | "DELETE"} ${Path}/:${Id}`, Operation>
>;

/** The routes of items that are everybody's or one's own. `parameters` are those of the list. */
export function itemOperations<const Noun extends "Segment" | "Annotation">(noun: Noun, parameters: readonly Parameter[]) {
  const one = noun.toLowerCase();
  const [many, idName, path] = [`${one}s`, `${one}_id`, `/api/${one}s`];
  const id = idParameter(idName, `The id of the ${one}.`);
  const refusals = { ...CHANGE_REFUSALS, ...ITEM_BODY_REFUSALS };
  const operations: Readonly<Record<string, Operation>> = {
    [`GET ${path}`]: {
      operationId: `list${noun}s`,
      summary: `Lists the ${many} of a site`,
      description: "Those for everybody, and the caller's own.",
      parameters: [SITE, ...parameters, ...documented(OWNERS), OWNER_HEADER],
      answers: { 200: answer(`The ${many}.`, `Site${noun}s`) },
      refusals: { ...LIST_REFUSALS, invalid_input: "A parameter or the header `X-Owner` is invalid." },
    },
    [`POST ${path}`]: {
      operationId: `create${noun}`,
      summary: `Adds one of the ${many} of a site`,
      parameters: [SITE, OWNER_HEADER],
      requestBody: jsonBody(`New${noun}`),
      answers: { 201: answer(`The ${one}, which is stored.`, `Site${noun}`) },
      refusals,
    },
    [`PUT ${path}/:${idName}`]: {
      operationId: `put${noun}`,
      summary: `Replaces one of the ${many} of a site`,
      parameters: [id, SITE, OWNER_HEADER],
      requestBody: jsonBody(`New${noun}`),
      answers: { 200: answer(`The ${one}, which is stored.`, `Site${noun}`) },
      refusals: { ...refusals, ...NOT_OWNED },
    },
    [`DELETE ${path}/:${idName}`]: {
      operationId: `delete${noun}`,
      summary: `Removes one of the ${many} of a site, whosever it is`,
      parameters: [id, SITE],
      answers: { 200: answer("The site no longer has it.", "Deleted") },
      refusals: { ...CHANGE_REFUSALS, ...NOT_FOUND },
    },
  };
  return operations as ItemRoutes<`/api/${Lowercase<Noun>}s`, `${Lowercase<Noun>}_id`>;
}

export const ITEMS_API = { tag: "Goals", schemas: SCHEMAS, operations: {} } as const;
