/** GET /health and /health/ready (contract 4.7): is the process alive, can it answer questions. */
import type { Handler } from "./context.ts";
import { NO_STORE, textResponse } from "./responses.ts";

export const getHealth: Handler = () => textResponse("ok", 200, NO_STORE);

export const getReady: Handler = async (_request, { services, deadline }) =>
  (await services.isReady(deadline.signal))
    ? textResponse("ready", 200, NO_STORE)
    : textResponse("database not ready", 503, { ...NO_STORE, "Retry-After": "1" });
