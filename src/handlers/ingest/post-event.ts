/** POST /api/event (contract 4.1): the tracker's beacon and server-side events. */
import { parseEventBody } from "../../runtime/ingest/event-input.ts";
import { readBody } from "../body.ts";
import type { Handler } from "../context.ts";
import { emptyReply } from "../reply.ts";
import { ingestContextOf } from "./ingest-context.ts";

/** Else hosts that stream would announce chunks, of which there is none. */
const NO_CONTENT = { "Content-Length": "0" } as const;

/** 202 also for a bot, whose event is dropped. The body is JSON whatever its content type says. */
export const postEvent: Handler = async (request, context) => {
  const { services } = context;
  const body = await readBody(request);
  const outcome = await services.acceptEvent({ ...ingestContextOf(request, context), readInput: () => parseEventBody(body) });
  if (outcome === "accepted") services.counters.eventsIngested++;
  return emptyReply(202, NO_CONTENT);
};
