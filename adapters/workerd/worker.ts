/** The Worker: passes every request to the Durable Object that serves it. */
import "./precompiled-modules.ts";
import type { DurableObjectNamespace } from "./platform.ts";

export { AnalyticsObject } from "./analytics-object.ts";

interface WorkerEnvironment {
  readonly ANALYTICS: DurableObjectNamespace;
}

/** One object serves all sites: it has the only journal, the keys and the engine. */
const OBJECT_NAME = "main";

export default {
  fetch(request: Request, { ANALYTICS }: WorkerEnvironment): Promise<Response> {
    return ANALYTICS.get(ANALYTICS.idFromName(OBJECT_NAME)).fetch(request);
  },
};
