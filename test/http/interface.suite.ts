/** All suites of the interface document, in their order: what runs against one host runs against every host. */
import type { MakeTarget } from "../support/target.ts";
import { describeAccessMatrix } from "./access-matrix.suite.ts";
import { describeLockout, describeSessions, describeSetup } from "./auth.suite.ts";
import { describeDurability } from "./durability.suite.ts";
import { describeExtraPaths } from "./extra-paths.suite.ts";
import { describeIngestBody } from "./ingest-body.suite.ts";
import { describeIngestCors } from "./ingest-cors.suite.ts";
import { describeIngestFields } from "./ingest-fields.suite.ts";
import { describeAllowlist, describeBots, describeRateLimits } from "./ingest-guards.suite.ts";
import { describeKeptCredentials, describeKeys } from "./keys.suite.ts";
import { describeOpenapi } from "./openapi.suite.ts";
import { describeOwnPages } from "./own-pages.suite.ts";
import { describePixel } from "./pixel.suite.ts";
import { describeStatsFunnel, describeStatsSequences } from "./stats-behavioral-steps.suite.ts";
import {
  describeStatsFlow,
  describeStatsRetention,
  describeStatsSessions,
  describeWithoutBehavioral,
} from "./stats-behavioral.suite.ts";
import { describeStatsBreakdown } from "./stats-breakdown.suite.ts";
import { describeStatsCache } from "./stats-cache.suite.ts";
import { describeStatsComparison } from "./stats-comparison.suite.ts";
import { describeStatsFilters } from "./stats-filters.suite.ts";
import { describeStatsGoals, describeStatsProperties, describeStatsPropertyValues } from "./stats-goals-properties.suite.ts";
import { describeStatsMain } from "./stats-main.suite.ts";
import { describeStatsParameters } from "./stats-parameters.suite.ts";
import { describeStatsRealtime } from "./stats-realtime.suite.ts";
import { describeStatsRevenue } from "./stats-revenue.suite.ts";
import { describeStatsTimeseries } from "./stats-timeseries.suite.ts";
import { describeDataMinimisation, describeStoredEvents } from "./stored-events.suite.ts";
import { describeSurface } from "./surface.suite.ts";

export function describeInterface(makeTarget: MakeTarget): void {
  describeIngestFields(makeTarget);
  describeIngestBody(makeTarget);
  describeAllowlist(makeTarget);
  describeRateLimits(makeTarget);
  describeBots(makeTarget);
  describeIngestCors(makeTarget);
  describePixel(makeTarget);
  describeExtraPaths(makeTarget);
  describeStoredEvents(makeTarget);
  describeDataMinimisation(makeTarget);
  describeStatsParameters(makeTarget);
  describeStatsMain(makeTarget);
  describeStatsTimeseries(makeTarget);
  describeStatsBreakdown(makeTarget);
  describeStatsFilters(makeTarget);
  describeStatsComparison(makeTarget);
  describeStatsRealtime(makeTarget);
  describeStatsGoals(makeTarget);
  describeStatsProperties(makeTarget);
  describeStatsPropertyValues(makeTarget);
  describeStatsRevenue(makeTarget);
  describeStatsSessions(makeTarget);
  describeStatsFunnel(makeTarget);
  describeStatsSequences(makeTarget);
  describeStatsFlow(makeTarget);
  describeStatsRetention(makeTarget);
  describeWithoutBehavioral(makeTarget);
  describeStatsCache(makeTarget);
  describeSetup(makeTarget);
  describeSessions(makeTarget);
  describeLockout(makeTarget);
  describeKeys(makeTarget);
  describeKeptCredentials(makeTarget);
  describeOwnPages(makeTarget);
  describeAccessMatrix(makeTarget);
  describeSurface(makeTarget);
  describeOpenapi(makeTarget);
  describeDurability(makeTarget);
}
