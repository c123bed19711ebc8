/** What answers with a file have in common: how long it may be kept, its tag and its coding. */
import type { Headers } from "./operation.ts";

export const required = (description: string) => ({ description, required: true, schema: { type: "string", minLength: 1 } }) as const;

export const FILE_HEADERS: Headers = {
  "Cache-Control": required("How long the file may be kept."),
  ETag: required("Tells this content in this coding from any other."),
  Vary: { description: "The coding goes by what the request takes.", required: true, schema: { type: "string", const: "Accept-Encoding" } },
};

export const CODED: Headers = {
  "Content-Encoding": { description: "Where the file is sent compressed.", schema: { type: "string", enum: ["br", "gzip"] } },
};

export const UNCHANGED = "The file is the one that `If-None-Match` names.";
