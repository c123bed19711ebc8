/** How a route is described: what it takes, what it answers, and for which reasons it refuses. */
import type { AppErrorCode } from "../../runtime/errors.ts";
import type { Schema } from "../../runtime/query/json-schema.ts";
import type { ParameterDescription } from "../../runtime/query/parameters.ts";

export interface Parameter extends ParameterDescription {
  readonly name: string;
  readonly in: "query" | "path" | "header";
}

export interface Header {
  readonly description: string;
  /** Whether every answer of its status bears it. */
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Headers = Readonly<Record<string, Header>>;

/** By media type. Bytes have no schema. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Answer {
  readonly description: string;
  readonly headers?: Headers;
  /** None where the body is empty. */
  readonly content?: Content;
}

export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: Content;
}

/** A way to show a credential. */
export type SecurityScheme =
  | { readonly type: "apiKey"; readonly in: "cookie" | "header"; readonly name: string; readonly description: string }
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string };

/** Groups of routes, in the order in which they are shown. */
export const TAGS = {
  Ingestion: "Sending events. No credential is needed; any page may read the answers.",
  Statistics: "Reading figures of a site.",
  Access: "Logging in and out, and the keys of programs.",
  Erasure: "Removing what was recorded.",
  Service: "The tracking script, the state of the service, and this document.",
} as const;

/** `internal` is whatever was not foreseen. */
export type RefusalCode = AppErrorCode | "internal";

export interface Operation {
  /** Unlike any other's: generated clients name their functions so. */
  readonly operationId: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** By status: what it answers when there is nothing to refuse. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** When it refuses for which reason. Those of its access are added (`BY_ACCESS` in `openapi.ts`). */
  readonly refusals?: Readonly<Partial<Record<RefusalCode, string>>>;
}
