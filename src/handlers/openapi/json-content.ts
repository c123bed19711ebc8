/** Bodies and answers that are JSON, by the name of their schema. */
import { BODY_BYTES_MAX } from "../../runtime/base/config/limits.ts";
import { reference } from "../../runtime/query/json-schema.ts";
import { NOT_STORED } from "./headers.ts";
import type { Answer, Headers, RequestBody } from "./operation.ts";

export interface JsonContent<Name extends string> {
  readonly body: (name: Name, bytesMax?: number) => RequestBody;
  readonly answer: (description: string, name: Name, headers?: Headers) => Answer;
}

const contentOf = (name: string) => ({ "application/json": { schema: reference(name) } });

/** For the schemas with these names. */
export const jsonContent = <Name extends string>(): JsonContent<Name> => ({
  body: (name, bytesMax = BODY_BYTES_MAX) => ({
    description: `A JSON object of at most ${bytesMax} bytes.`,
    required: true,
    content: contentOf(name),
  }),
  answer: (description, name, headers = NOT_STORED) => ({ description, headers, content: contentOf(name) }),
});

export const BODY_REFUSALS = {
  body_too_large: `The body is longer than ${BODY_BYTES_MAX} bytes.`,
  malformed_body: "The body is not an object, or a field is missing or has the wrong type.",
} as const;
