/** Goals, segments, annotations and rules, as a dashboard and programs ask for them. */
import { bodyOf } from "./auth-requests.ts";
import type { RequestHeaders } from "./requests.ts";
import type { Target } from "./target.ts";

export type CollectionPath = "goals" | "segments" | "annotations" | "rules";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** One request to a collection: of all items of the site, or with `id` of one. */
export interface CollectionRequest {
  readonly method?: Method;
  readonly id?: string;
  readonly body?: unknown;
  /** More parameters. */
  readonly query?: string;
}

export function askCollection(
  target: Target,
  path: CollectionPath,
  siteId: string,
  headers: RequestHeaders,
  { method = "GET", id, body, query = "" }: CollectionRequest = {},
): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return target.fetch(`/api/${path}${id === undefined ? "" : `/${id}`}?site_id=${siteId}${query}`, {
    method,
    headers,
    ...(body !== undefined && { body: text }),
  });
}

/** Adds an item, which must succeed. */
export const addItem = async <Item>(
  target: Target,
  path: CollectionPath,
  siteId: string,
  headers: RequestHeaders,
  body: unknown,
): Promise<Item & { readonly id: string }> => bodyOf(await askCollection(target, path, siteId, headers, { method: "POST", body }), 201);

export const listItems = async <Item>(
  target: Target,
  path: CollectionPath,
  siteId: string,
  headers: RequestHeaders,
  query = "",
): Promise<readonly Item[]> => bodyOf(await askCollection(target, path, siteId, headers, { query }));
