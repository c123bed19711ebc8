/** GET /metrics for monitoring, behind a token if one is set (docs/http-api.md, "Metrics"). */
import { equalBytes } from "../runtime/base/bytes.ts";
import { AppError } from "../runtime/base/errors.ts";
import { metricFamilies } from "../runtime/base/metrics/metric-families.ts";
import { METRICS_CONTENT_TYPE, renderMetrics } from "../runtime/base/metrics/prometheus.ts";
import type { Secret } from "../runtime/base/config/option-kinds.ts";
import type { Handler } from "./context.ts";
import { bearerTokenOf } from "./credentials.ts";
import { NO_STORE, textReply } from "./reply.ts";

const encoder = new TextEncoder();

function checkToken(request: Request, wanted: Secret | null): void {
  if (wanted === null) return;
  const given = bearerTokenOf(request) ?? "";
  if (equalBytes(encoder.encode(given), encoder.encode(wanted.reveal()))) return;
  throw new AppError({ code: "unauthenticated" }, "The metrics need their token: Authorization: Bearer and the value of metrics_token");
}

export const getMetrics: Handler = async (request, { services, nowMs }) => {
  checkToken(request, services.config.metricsToken);
  const gauges = await services.gauges();
  return textReply(renderMetrics(metricFamilies({ ...services, gauges }, nowMs)), 200, {
    ...NO_STORE,
    "Content-Type": METRICS_CONTENT_TYPE,
  });
};
