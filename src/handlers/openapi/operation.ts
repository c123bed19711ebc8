/** The vocabulary of descriptions: parameters, bodies, responses and reasons for refusals. */
import { BODY_BYTES_MAX } from "../../runtime/base/config/limits.ts";
import { PROGRESS_ID_CHARS_MAX, PROGRESS_ID_CHARS_MIN } from "../../runtime/base/config/report-limits.ts";
import type { AppErrorCode } from "../../runtime/base/errors.ts";
import { reference, text, type Schema } from "../../runtime/base/json-schema.ts";
import type { Parameter as Declared, ParameterDescription, Parameters } from "../../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS } from "../../runtime/query/scope.ts";
import { NOT_STORED, type Headers } from "./headers.ts";

export interface Parameter extends ParameterDescription {
  readonly name: string;
  readonly in: "query" | "path" | "header";
}

/** Schemas by media type. Binary content has none. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Answer {
  readonly description: string;
  readonly headers?: Headers;
  /** Absent if the body is empty. */
  readonly content?: Content;
}

export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: Content;
}

export type SecurityScheme =
  | { readonly type: "apiKey"; readonly in: "cookie" | "header" | "query"; readonly name: string; readonly description: string }
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string };

export type SecurityName = "Session" | "BearerKey" | "HeaderKey" | "Share" | "ShareParameter";

/** Alternatives: any one of these credentials suffices. */
export type Security = readonly Readonly<Partial<Record<SecurityName, readonly []>>>[];

/** Groups of routes, in display order. */
export const TAGS = {
  Ingestion: "Sending events. No credential is required; any page may read the responses.",
  Statistics: "Reports of a site.",
  Access: "Setup, login and API keys.",
  Sites: "What is set for sites.",
  Goals: "What counts as a conversion.",
  Segments: "Saved filters, funnels and sequences.",
  Annotations: "Texts about dates and hours.",
  Rules: "Visits that a site's figures leave out.",
  Sharing: "Share links of a site, and what their guests ask.",
  Imports: "Events of other products.",
  Exports: "Archives of whole sites.",
  Erasure: "Deleting stored events.",
  Demo: "A made-up site to explore.",
  Installation: "Checking that the pages of a site send events.",
  Service: "The tracking script, the dashboard, health, metrics, and this document.",
} as const;

/** `internal` stands for unexpected errors. */
export type RefusalCode = AppErrorCode | "internal";

export interface Operation {
  /** Unique: generated clients use it as a function name. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Replaces the credentials of its access level. */
  readonly security?: Security;
  /** The route's reasons to refuse a request. `BY_ACCESS` in openapi.ts adds those of its access level. */
  readonly refusals?: Readonly<Partial<Record<RefusalCode, string>>>;
}

export type Operations = Readonly<Record<string, Operation>>;

// Bodies and answers

/** `schema` is a schema, or the name of a component. */
const json = (schema: string | Schema) => ({ "application/json": { schema: typeof schema === "string" ? reference(schema) : schema } });

export const jsonBody = (name: string, bytesMax = BODY_BYTES_MAX): RequestBody => ({
  description: `A JSON object of at most ${bytesMax} bytes.`,
  required: true,
  content: json(name),
});

export const answer = (description: string, schema: string | Schema, headers = NOT_STORED): Answer => ({
  description,
  headers,
  content: json(schema),
});

export const BODY_REFUSALS = {
  body_too_large: `The body is longer than ${BODY_BYTES_MAX} bytes.`,
  malformed_body: "The body is not an object, or a field is missing or has the wrong type.",
} as const;

/** The reason for refusals of routes that DNS rebinding must not reach (`origins.ts`). */
export const UNVERIFIED_HOST =
  "No admin password is set yet, the request came from this machine or a private network without a trusted proxy, and its " +
  "`Host` is neither an IP address, nor localhost, nor that of `dashboard_origin`.";

export const TOO_MANY_VIEWS = "Too many requests with `X-Share` came from the address.";

// Parameters

/** A query parameter that no parser declares. */
export const inQuery = (name: string, description: ParameterDescription): Parameter => ({ name, in: "query", ...description });

export const inPath = (name: string, description: string, schema: Schema, example: string): Parameter => ({
  ...{ name, in: "path", description, required: true, schema, example },
});

const documentedOne = (name: string, { in: place, description, required, schema, example }: Declared): Parameter => ({
  name,
  in: place,
  description,
  ...(required !== undefined && { required }),
  schema,
  ...(example !== undefined && { example }),
});

export const documented = (parameters: Parameters): readonly Parameter[] =>
  Object.entries(parameters).map(([name, declared]) => documentedOne(name, declared));

/** Parameters of many routes, which refer to them by these names. */
export const SHARED_PARAMETERS = {
  SiteId: documentedOne("site_id", SCOPE_PARAMETERS.site_id),
  Period: documentedOne("period", SCOPE_PARAMETERS.period),
  StartDate: documentedOne("start_date", SCOPE_PARAMETERS.start_date),
  EndDate: documentedOne("end_date", SCOPE_PARAMETERS.end_date),
  Interval: documentedOne("interval", SCOPE_PARAMETERS.interval),
  Filters: documentedOne("filters", SCOPE_PARAMETERS.filters),
  Segment: documentedOne("segment", SCOPE_PARAMETERS.segment),
  Lens: documentedOne("lens", SCOPE_PARAMETERS.lens),
  ProgressId: {
    name: "X-Progress-Id",
    in: "header",
    description:
      `A random text of ${PROGRESS_ID_CHARS_MIN} to ${PROGRESS_ID_CHARS_MAX} letters, digits, "_" and "-", by which the progress of the ` +
      "request can be asked for. Other texts are ignored.",
    schema: text("Kept while the request is under way."),
    example: "0123456789abcdefghij_-",
  } satisfies Parameter as Parameter,
};

const { SiteId, Period, StartDate, EndDate, Interval, Filters, Segment, Lens, ProgressId } = SHARED_PARAMETERS;

export const SITE = SiteId;

export const PROGRESS_ID_HEADER = ProgressId;

export const SCOPE: readonly Parameter[] = [SiteId, Period, StartDate, EndDate, Interval, Filters, Segment, Lens];

export const UNDATED_SCOPE: readonly Parameter[] = [SiteId, Filters, Segment, Lens];
