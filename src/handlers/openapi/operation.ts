/** The description of a route: its parameters and body, its responses, and when it refuses a request. */
import type { AppErrorCode } from "../../runtime/base/errors.ts";
import type { Schema } from "../../runtime/query/json-schema.ts";
import type { ParameterDescription } from "../../runtime/query/parameters.ts";

export interface Parameter extends ParameterDescription {
  readonly name: string;
  readonly in: "query" | "path" | "header";
}

export interface Header {
  readonly description: string;
  /** Whether every response of its status has it. */
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Headers = Readonly<Record<string, Header>>;

/** By media type. Binary content has no schema. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Answer {
  readonly description: string;
  readonly headers?: Headers;
  /** Missing if the body is empty. */
  readonly content?: Content;
}

export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: Content;
}

/** A way to send a credential. */
export type SecurityScheme =
  | { readonly type: "apiKey"; readonly in: "cookie" | "header"; readonly name: string; readonly description: string }
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string };

/** Groups of routes, in display order. */
export const TAGS = {
  Ingestion: "Sending events. No credential is required; any page may read the responses.",
  Statistics: "Reports of a site.",
  Access: "Setup, login and API keys.",
  Sites: "What is set for sites.",
  Goals: "What counts as a conversion.",
  Segments: "Saved filters, funnels and sequences.",
  Annotations: "Texts about dates and hours.",
  Sharing: "Share links of a site, and what their guests ask.",
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
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** Responses to accepted requests, by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** When the route refuses a request, by reason. Those of its access level are added (`BY_ACCESS` in `openapi.ts`). */
  readonly refusals?: Readonly<Partial<Record<RefusalCode, string>>>;
}
