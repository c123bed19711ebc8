/** GET /api/event (contract 4.1): the 1x1 image for pages without scripts and for mail. */
import { parsePixelQuery } from "../../runtime/ingest/event-input.ts";
import type { Handler } from "../context.ts";
import { parametersOf } from "../query.ts";
import { NO_STORE } from "../reply.ts";
import { ingestContextOf } from "./ingest-context.ts";

/** GIF89a of one transparent pixel: size, palette of two colours, transparency, image, trailer. */
const TRANSPARENT_GIF = Uint8Array.from(
  "474946383961 01000100800000 000000ffffff 21f9040100000000 2c000000000100010000 0202440100 3b".replaceAll(" ", "").match(/../g) ?? [],
  (hex) => Number.parseInt(hex, 16),
);

const HEADERS = { "Content-Type": "image/gif", "Content-Length": String(TRANSPARENT_GIF.length), ...NO_STORE } as const;

export const getPixel: Handler = async (request, context) => {
  const { services, url } = context;
  const parameters = parametersOf(url);
  const outcome = await services.acceptEvent({
    ...ingestContextOf(request, context),
    readInput: () => parsePixelQuery(parameters),
  });
  if (outcome === "accepted") services.counters.pixelEventsIngested++;
  return { status: 200, headers: HEADERS, body: TRANSPARENT_GIF };
};
