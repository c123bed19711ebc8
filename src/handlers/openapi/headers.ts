/** The headers of responses (docs/http-api.md, "Response headers"). */
import type { Schema } from "../../runtime/base/json-schema.ts";

interface Header {
  readonly description: string;
  /** Every response of its status has the header. */
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Headers = Readonly<Record<string, Header>>;

type HeaderSchema = Pick<Schema, "type" | "const" | "enum" | "pattern" | "minLength" | "minimum">;

const TEXT: HeaderSchema = { type: "string", minLength: 1 };
const SECONDS: HeaderSchema = { type: "integer", minimum: 1 };
export const only = (value: string): HeaderSchema => ({ type: "string", const: value });

/** A header of every response that declares it. It may have any value unless `schema` says more. */
export const always = (description: string, schema: HeaderSchema = TEXT): Header => ({ description, required: true, schema });

/** A header of responses that meet the condition in the description. */
export const sometimes = (description: string, schema: HeaderSchema): Header => ({ description, schema });

/** Headers of many responses, which refer to them by these names. */
export const SHARED_HEADERS = {
  NoStore: always("The response must not be cached.", only("no-store")),
  RequestId: always("Unique id of the request, also in the server's log."),
  NoSniff: always("Browsers must not guess another content type.", only("nosniff")),
  ReferrerPolicy: always("What other sites learn from the `Referer` of followed links."),
  StrictTransportSecurity: sometimes("If the request came over https, and `hsts_max_age_secs` is not 0.", {
    type: "string",
    pattern: "^max-age=\\d+$",
  }),
  AllowOrigin: always("The request's `Origin`, or `*` without one."),
  AllowCredentials: sometimes("If the request has an `Origin`.", only("true")),
  VaryOrigin: sometimes("If the request has an `Origin`.", only("Origin")),
  RetryAfter: always("Seconds to wait before a retry.", SECONDS),
  DashboardOrigin: sometimes("The request's `Origin`, if it is `dashboard_origin`.", TEXT),
  DashboardCredentials: sometimes("If the request's `Origin` is `dashboard_origin`.", only("true")),
  DashboardVary: sometimes("If the request's `Origin` is `dashboard_origin`.", only("Origin")),
  DashboardExposed: sometimes("Headers that scripts may read, if the request's `Origin` is `dashboard_origin`.", TEXT),
} satisfies Headers;

export const COMMON_HEADERS: Headers = {
  "X-Request-Id": SHARED_HEADERS.RequestId,
  "X-Content-Type-Options": SHARED_HEADERS.NoSniff,
  "Referrer-Policy": SHARED_HEADERS.ReferrerPolicy,
  "Strict-Transport-Security": SHARED_HEADERS.StrictTransportSecurity,
};

export const INGEST_HEADERS: Headers = {
  "Access-Control-Allow-Origin": SHARED_HEADERS.AllowOrigin,
  "Access-Control-Allow-Credentials": SHARED_HEADERS.AllowCredentials,
  Vary: SHARED_HEADERS.VaryOrigin,
};

export const DASHBOARD_HEADERS: Headers = {
  "Access-Control-Allow-Origin": SHARED_HEADERS.DashboardOrigin,
  "Access-Control-Allow-Credentials": SHARED_HEADERS.DashboardCredentials,
  "Access-Control-Expose-Headers": SHARED_HEADERS.DashboardExposed,
  Vary: SHARED_HEADERS.DashboardVary,
};

export const sets = (description: string): Headers => ({ "Set-Cookie": always(description) });

export const PREFLIGHT_HEADERS: Headers = {
  "Access-Control-Allow-Methods": always("The methods that pages may use, separated by commas."),
  "Access-Control-Allow-Headers": always("The headers that the browser requested, or `Content-Type` if it requested none."),
  "Access-Control-Max-Age": always("Seconds for which the browser may cache the preflight.", SECONDS),
};

export const ANY_PAGE: Headers = { "Access-Control-Allow-Origin": always("Any page may read it.", only("*")) };

export const NOT_STORED: Headers = { "Cache-Control": SHARED_HEADERS.NoStore };

export const TIME_ZONE: Headers = {
  "Time-Zone": sometimes("If the site is not in UTC: the IANA name of its time zone at the moment.", TEXT),
};

export const COVERED: Headers = {
  Coverage: sometimes("If the dates have days of which an import has sums only: what the field `coverage` says, as JSON.", {
    type: "string",
    pattern: '^\\{"partial":\\[.+\\]\\}$',
  }),
};

export const FILE_NAME: Header = sometimes("The file's name, if it is a file. It has the first date.", {
  type: "string",
  pattern: '^attachment; filename="[\\w.-]+"$',
});

export const STORED: Headers = { "Cache-Control": always("How many seconds the response may be cached.") };

export const RETRY_AFTER: Headers = { "Retry-After": SHARED_HEADERS.RetryAfter };

/** Declared for a status with several reasons, only some of which are temporary. */
export const PERHAPS_RETRY_AFTER: Headers = { "Retry-After": sometimes("If a retry may succeed: seconds to wait before it.", SECONDS) };

/** Declared for a status that also has other reasons. */
export const PERHAPS_SETUP_CODE: Headers = {
  "X-Setup-Code": sometimes("If the host name is refused until an admin password is set: setup requires the setup code.", only("required")),
};

export const PERHAPS_EXTENSION_MISSING: Headers = {
  "X-Behavioral-Extension": sometimes("If the reason is the missing behavioral extension.", only("missing")),
};

export const ALLOW: Headers = { Allow: always("The methods that the path supports, separated by commas.") };

/** Headers of a file: how long it may be cached, and the ETag of its content and coding. */
export const FILE_HEADERS: Headers = {
  "Cache-Control": always("How long the file may be cached."),
  ETag: always("Identifies this content in this coding."),
  Vary: always("The content coding depends on `Accept-Encoding`.", only("Accept-Encoding")),
};

export const CODED: Headers = {
  "Content-Encoding": sometimes("If the file is sent compressed.", { type: "string", enum: ["br", "gzip"] }),
};

export const UNCHANGED = "The file matches `If-None-Match`.";
