/** The Worker: hands every request to the Durable Object that answers it. */
import "./precompiled-modules.ts";
import { objectNameOf } from "./object-name.ts";
import type { DurableObjectNamespace } from "./platform.ts";

export { AnalyticsObject } from "./analytics-object.ts";

interface WorkerEnvironment {
  readonly ANALYTICS: DurableObjectNamespace;
}

export default {
  fetch(request: Request, { ANALYTICS }: WorkerEnvironment): Promise<Response> {
    return ANALYTICS.get(ANALYTICS.idFromName(objectNameOf(request))).fetch(request);
  },
};
