/** What ingestion is measured against: takes an event's JSON in, and does nothing with it. Stands in the program for `ingest.ts`. */
import { emptyReply, readBody } from "../../src/handlers/http.ts";
import type { Handler } from "../../src/handlers/route.ts";
import { parseObject } from "../../src/runtime/base/body.ts";

export { getPixel } from "../../src/handlers/ingest.ts";

export const postEvent: Handler = async (request) => {
  parseObject(await readBody(request));
  return emptyReply(202, { "Content-Length": "0" });
};
