/**
 * What the tags of Umami, GoatCounter and Matomo send, as fields of an event of ours. Names of events are those that imports of the same
 * product have. `alias` says for whom the tag counts; the site is the one whose settings name it.
 */
import type { JsonObject } from "../../storage/record-store.ts";
import { fieldOf, isObject, malformedBody, parseObject } from "../base/body.ts";
import { EARLIER_TAG_ID_CHARS_MAX, MATOMO_REQUESTS_MAX, QUERY_PARAMETERS_MAX } from "../base/config/limits.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK, PAGEVIEW } from "../base/config/names.ts";
import { invalidInput } from "../base/errors.ts";
import { parseAlias } from "../sites/aliases.ts";
import { type Json, parseJson } from "./props.ts";
import { parseUrl } from "./urls.ts";

export interface TaggedEvent {
  /** `umami:<id>`, `goatcounter:<code>` or `matomo:<id>`. */
  readonly alias: string;
  /** The fields of an event but its site (docs/http-api.md, "Event fields"); null for what is no event, and is answered as if it were. */
  readonly fields: JsonObject | null;
}

function aliasOf(product: string, id: unknown, field: string): string {
  if (typeof id !== "string") throw malformedBody(id === null ? `"${field}" is missing` : `"${field}" must be a string`);
  const alias = parseAlias(`${product}:${id}`);
  if (alias !== null) return alias;
  throw invalidInput(`"${field}" must be 1 to ${EARLIER_TAG_ID_CHARS_MAX} letters, digits, ".", "_" and "-"`);
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** The width in `1920x1080`, or in `1920,1080,2`. */
function widthOf(screen: unknown): number | null {
  const width = textOf(screen) === null ? Number.NaN : Number.parseInt(String(screen), 10);
  return Number.isFinite(width) ? width : null;
}

/** A page whose host may be known only beside its path. */
const pageAt = (host: string | null, page: string): string => (host !== null && page.startsWith("/") ? `https://${host}${page}` : page);

const AMOUNT = /^-?\d+(?:\.\d+)?$/;

const amountOf = (value: unknown): number | null =>
  typeof value === "number" ? value : typeof value === "string" && AMOUNT.test(value) ? Number(value) : null;

// Umami

interface UmamiBody {
  readonly payload?: { readonly data?: Readonly<Record<string, Json>> };
}

/** The body of `POST /api/send`. An identification of the visitor is no event. */
export function readUmami(text: string): TaggedEvent {
  const body = parseObject(text);
  const isEvent = fieldOf(body, "type") === "event";
  const payload = fieldOf(body, "payload");
  if (!isObject(payload)) throw malformedBody('Field "payload" must be an object');
  const alias = aliasOf("umami", fieldOf(payload, "website"), "website");
  if (!isEvent) return { alias, fields: null };
  const sent = fieldOf(payload, "data");
  // Read again, because `JSON.parse` may mistake keys.
  const data = isObject(sent) ? ((parseJson(text) as UmamiBody).payload?.data ?? {}) : {};
  const { revenue, currency, ...props } = data;
  const amount = amountOf(revenue);
  return {
    alias,
    fields: {
      n: textOf(fieldOf(payload, "name")) ?? PAGEVIEW,
      u: pageAt(textOf(fieldOf(payload, "hostname")), textOf(fieldOf(payload, "url")) ?? "/"),
      r: textOf(fieldOf(payload, "referrer")),
      w: widthOf(fieldOf(payload, "screen")),
      p: propsText(amount === null ? data : props),
      ra: amount,
      rc: amount === null ? null : textOf(currency),
    },
  };
}

function propsText(props: Readonly<Record<string, unknown>>): string | null {
  if (Object.keys(props).length === 0) return null;
  try {
    return JSON.stringify(props);
  } catch {
    throw invalidInput('Field "data" is nested too deeply');
  }
}

// GoatCounter

const GOATCOUNTER_PARAMETERS = ["p", "e", "q", "r", "s"] as const;

type Parameters<Name extends string> = Readonly<Record<Name, string | null>>;

const parametersIn = <Name extends string>(params: URLSearchParams, names: readonly Name[]): Parameters<Name> =>
  Object.fromEntries(names.map((name) => [name, params.get(name)])) as Parameters<Name>;

/** The query of `/count`. `code` names the counter; the page's host is only in the header `Referer`. */
export function readGoatcounter(params: URLSearchParams, code: string, referer: string | null): TaggedEvent {
  const { p: path, e, q, r, s } = parametersIn(params, GOATCOUNTER_PARAMETERS);
  const alias = aliasOf("goatcounter", code, "code");
  if (path === null) throw malformedBody('Parameter "p" is missing');
  const page = referer === null ? null : parseUrl(referer);
  const isEvent = ["true", "1"].includes(e ?? "");
  const pathname = isEvent ? (page?.pathname ?? "/") : path.startsWith("/") ? path : `/${path}`;
  const query = q?.startsWith("?") && !pathname.includes("?") ? q : "";
  return {
    alias,
    fields: { n: isEvent ? path : PAGEVIEW, u: pageAt(page?.host ?? null, pathname + query), r: textOf(r), w: widthOf(s) },
  };
}

// Matomo

/** Parameters of requests about goals, contents, media, and the time on a page: none of them is an event here. */
export const NO_EVENTS = ["ping", "idgoal", "c_n", "ma_id", "cra", "hsr_vid"] as const;

const MATOMO_PARAMETERS = [
  ...(["idsite", "url", "urlref", "res", "e_c", "e_a", "e_n", "e_v", "search", "link", "download"] as const),
  ...NO_EVENTS,
] as const;

/** One request of `matomo.php`. Its claims about address, time and browser of the visitor are ignored. */
export function readMatomo(params: URLSearchParams): TaggedEvent {
  const sent = parametersIn(params, MATOMO_PARAMETERS);
  const alias = aliasOf("matomo", sent.idsite, "idsite");
  if (NO_EVENTS.some((name) => sent[name] !== null)) return { alias, fields: null };
  const [name, props] = eventOf(sent);
  return { alias, fields: { n: name, u: textOf(sent.url) ?? "/", r: textOf(sent.urlref), w: widthOf(sent.res), p: propsText(props) } };
}

type Sent = Parameters<(typeof MATOMO_PARAMETERS)[number]>;

function eventOf({ e_c: category, e_a: action, e_n, e_v, search, link, download }: Sent): [name: string, props: JsonObject] {
  if (category && action) return [`${category}/${action}`, filled({ category, action, name: e_n, value: e_v })];
  if (search) return ["search", { keyword: search }];
  if (download) return [FILE_DOWNLOAD, { url: download }];
  return link ? [OUTBOUND_CLICK, { url: link }] : [PAGEVIEW, {}];
}

const filled = (values: Readonly<Record<string, string | null>>): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value));

/** The queries of a posted body in JSON, of Matomo's bulk tracking; null for one query as a form. */
export function matomoQueriesIn(body: string): readonly URLSearchParams[] | null {
  if (!body.trimStart().startsWith("{")) return null;
  const requests = fieldOf(parseObject(body), "requests");
  if (!Array.isArray(requests) || !requests.every((request): request is string => typeof request === "string"))
    throw malformedBody('Field "requests" must be an array of strings');
  if (requests.length > MATOMO_REQUESTS_MAX)
    throw invalidInput(`Field "requests" must have at most ${MATOMO_REQUESTS_MAX} entries, got ${requests.length}`);
  return requests.map(matomoQueryOf);
}

export function matomoQueryOf(text: string): URLSearchParams {
  const query = text.startsWith("?") ? text.slice(1) : text;
  if (query.split("&", QUERY_PARAMETERS_MAX + 1).length > QUERY_PARAMETERS_MAX)
    throw invalidInput(`A request may have at most ${QUERY_PARAMETERS_MAX} query parameters`);
  return new URLSearchParams(query);
}
