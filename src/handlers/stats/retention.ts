/** GET /api/stats/retention (decisions, "Statistics"): which of a week's new visitors come again in later weeks. */
import { RETENTION_WEEKS_DEFAULT, RETENTION_WEEKS_MAX, RETENTION_WEEKS_MIN } from "../../runtime/config/limits.ts";
import { cohortIdentity, rangeWithFirstEvents, retentionOf } from "../../runtime/reports/retention.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { behavioralReply } from "./behavioral.ts";

export const getRetention: Handler = (_request, context) => {
  const query = new Query(context.url);
  const scope = query.scope(context.nowMs);
  const weeks = query.integer("weeks", { min: RETENTION_WEEKS_MIN, max: RETENTION_WEEKS_MAX, otherwise: RETENTION_WEEKS_DEFAULT });
  const { visitorSaltRotationDays } = context.services.config;
  const known = rangeWithFirstEvents(scope.range, visitorSaltRotationDays);
  return behavioralReply(context, { name: "retention", scope, parameters: [weeks] }, async (over) => {
    const cohorts = await over({ ...scope, range: known }, (ask) => retentionOf(ask, scope, weeks));
    const { supported, caveat } = cohortIdentity(visitorSaltRotationDays, weeks);
    return JSON.stringify({
      cohorts: cohorts.map(({ cohortDate, cohortSize, retained, retentionRates }) => ({
        cohort_date: cohortDate,
        cohort_size: cohortSize,
        retained,
        retention_rates: retentionRates,
      })),
      identity_supports_cohorts: supported,
      caveat,
    });
  });
};
