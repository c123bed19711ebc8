/** The headers that answers bear. */
import type { Header, Headers } from "./operation.ts";
import type { Schema } from "../../runtime/query/json-schema.ts";

type HeaderSchema = Pick<Schema, "type" | "const" | "enum" | "minLength" | "minimum">;

const TEXT: HeaderSchema = { type: "string", minLength: 1 };
const SECONDS: HeaderSchema = { type: "integer", minimum: 1 };
const only = (value: string): HeaderSchema => ({ type: "string", const: value });

/** On every answer of its kind. */
const always = (description: string, schema: HeaderSchema): Header => ({ description, required: true, schema });

/** On answers for which the description's condition holds. */
const sometimes = (description: string, schema: HeaderSchema): Header => ({ description, schema });

const noStore = always("Nobody keeps the answer.", only("no-store"));
const requestId = always("Tells this request from all others, in the server's log too.", TEXT);
const nosniff = always("The answer is of the type it says.", only("nosniff"));
const referrerPolicy = always("How much other sites learn of where a link was followed.", TEXT);
const hsts = sometimes("Where the request came over https.", only("max-age=31536000"));
const allowOrigin = always("The request's `Origin`, or `*` where it has none.", TEXT);
const allowCredentials = sometimes("Where the request has an `Origin`.", only("true"));
const vary = sometimes("Where the request has an `Origin`.", only("Origin"));
const dashboardOrigin = sometimes("The request's `Origin`, where it is `dashboard_origin`.", TEXT);
const dashboardCredentials = sometimes("Where the request's `Origin` is `dashboard_origin`.", only("true"));
const dashboardVary = sometimes("Where the request's `Origin` is `dashboard_origin`.", only("Origin"));
const dashboardExposed = sometimes("Headers that scripts may read, where the request's `Origin` is `dashboard_origin`.", TEXT);
const retryAfter = always("Seconds after which it is worth trying again.", SECONDS);

/** Those of many answers, which refer to them by these names. */
export const SHARED_HEADERS: Headers = {
  NoStore: noStore,
  RequestId: requestId,
  NoSniff: nosniff,
  ReferrerPolicy: referrerPolicy,
  StrictTransportSecurity: hsts,
  AllowOrigin: allowOrigin,
  AllowCredentials: allowCredentials,
  VaryOrigin: vary,
  RetryAfter: retryAfter,
  DashboardOrigin: dashboardOrigin,
  DashboardCredentials: dashboardCredentials,
  DashboardVary: dashboardVary,
  DashboardExposed: dashboardExposed,
};

/** On every answer. */
export const COMMON_HEADERS: Headers = {
  "X-Request-Id": requestId,
  "X-Content-Type-Options": nosniff,
  "Referrer-Policy": referrerPolicy,
  "Strict-Transport-Security": hsts,
};

/** On every answer of ingestion. */
export const INGEST_HEADERS: Headers = {
  "Access-Control-Allow-Origin": allowOrigin,
  "Access-Control-Allow-Credentials": allowCredentials,
  Vary: vary,
};

/** On every answer that the dashboard asks for. */
export const DASHBOARD_HEADERS: Headers = {
  "Access-Control-Allow-Origin": dashboardOrigin,
  "Access-Control-Allow-Credentials": dashboardCredentials,
  "Access-Control-Expose-Headers": dashboardExposed,
  Vary: dashboardVary,
};

/** A cookie that is set. */
export const sets = (description: string): Headers => ({ "Set-Cookie": always(description, TEXT) });

export const PREFLIGHT_HEADERS: Headers = {
  "Access-Control-Allow-Methods": always("The methods that pages may use, separated by commas.", TEXT),
  "Access-Control-Allow-Headers": always("The headers that the browser asked for, or `Content-Type` where it asked for none.", TEXT),
  "Access-Control-Max-Age": always("Seconds for which the browser need not ask again.", SECONDS),
};

/** On what any page may load. */
export const ANY_PAGE: Headers = { "Access-Control-Allow-Origin": always("Any page may read it.", only("*")) };

export const NOT_STORED: Headers = { "Cache-Control": noStore };

export const STORED: Headers = { "Cache-Control": always("For how many seconds the answer may be kept.", TEXT) };

export const RETRY_AFTER: Headers = { "Retry-After": retryAfter };

/** Where a status has several reasons, not all of which pass by themselves. */
export const PERHAPS_RETRY_AFTER: Headers = { "Retry-After": sometimes("Where trying again may help: after how many seconds.", SECONDS) };

/** Where a status has other reasons, too. */
export const PERHAPS_SETUP_CODE: Headers = {
  "X-Setup-Code": sometimes(
    "Where the host name is refused until there is an admin password: setup takes the setup code there.",
    only("required"),
  ),
};

export const ALLOW: Headers = { Allow: always("The methods that the path takes, separated by commas.", TEXT) };

/** A header that is always there, with any value. */
export const required = (description: string): Header => always(description, TEXT);

/** On answers with a file: how long it may be kept, and the tag of its content and coding. */
export const FILE_HEADERS: Headers = {
  "Cache-Control": required("How long the file may be kept."),
  ETag: required("Tells this content in this coding from any other."),
  Vary: always("The coding depends on what the request accepts.", only("Accept-Encoding")),
};

export const CODED: Headers = {
  "Content-Encoding": sometimes("Where the file is sent compressed.", { type: "string", enum: ["br", "gzip"] }),
};

export const UNCHANGED = "The file is the one that `If-None-Match` names.";
