/**
 * All HTTP suites. Behavior that depends on the host is tested on every host in both tiers; behavior that is the same on every
 * host (field rules, options, reports) is tested in process, and on the other hosts only in the tier `all`.
 */
import { expect, it } from "vitest";
import { ROUTE_IDS, type WithAskedRoutes } from "../support/asked-routes.ts";
import type { MakeTarget, SkippedCase } from "../support/target.ts";
import { describeAccessMatrix } from "./access-matrix.suite.ts";
import { describeAnnotations, describeKeptAnnotations } from "./annotations.suite.ts";
import { describeLockout, describeSessions, describeSetup } from "./auth.suite.ts";
import { describeBasePath } from "./base-path.suite.ts";
import { describeDashboardFiles } from "./dashboard-files.suite.ts";
import { describeDemoSite } from "./demo.suite.ts";
import { describeDurability } from "./durability.suite.ts";
import { describeErasure } from "./erasure.suite.ts";
import { describeExclusions } from "./exclusions.suite.ts";
import { describeExtraPaths } from "./extra-paths.suite.ts";
import { describeKeptGoals, describeSiteGoals } from "./goals.suite.ts";
import { describeIngestBody } from "./ingest-body.suite.ts";
import { describeIngestCors } from "./ingest-cors.suite.ts";
import { describeIngestFields } from "./ingest-fields.suite.ts";
import { describeAllowlist, describeBots, describeRateLimits } from "./ingest-guards.suite.ts";
import { describeKeptCredentials, describeKeys } from "./keys.suite.ts";
import { describeMaxSites } from "./ingest-sites.suite.ts";
import { describeOpenapi } from "./openapi.suite.ts";
import { describeHealthDetails, describeHttps, describeMetrics, describeWellKnown } from "./operations.suite.ts";
import { describeOwnPages } from "./csrf.suite.ts";
import { describePasswordChange, describePasswordRules } from "./password.suite.ts";
import { describePixel } from "./pixel.suite.ts";
import { describeGuardedRoutes, describeRebinding, describeSetupCode } from "./rebinding.suite.ts";
import { describeKeptSegments, describeSegments } from "./segments.suite.ts";
import { describeShareRules, describeShares } from "./shares.suite.ts";
import { describeStatsFunnel, describeStatsSequences } from "./stats-behavioral-steps.suite.ts";
import { describeStatsFlow, describeStatsRetention, describeStatsSessions, describeWithoutBehavioral } from "./stats-behavioral.suite.ts";
import { describeStatsBreakdown } from "./stats-breakdown.suite.ts";
import { describeStatsCache } from "./stats-cache.suite.ts";
import { describeStatsComparison } from "./stats-comparison.suite.ts";
import { describeInstallation } from "./installation.suite.ts";
import { describeStatsExport } from "./stats-export.suite.ts";
import { describeStatsFilterOperators } from "./stats-filter-operators.suite.ts";
import { describeStatsFilters } from "./stats-filters.suite.ts";
import { describeStatsGoals, describeStatsProperties, describeStatsPropertyValues } from "./stats-goals-properties.suite.ts";
import { describeStatsMain } from "./stats-main.suite.ts";
import { describeStatsOverview } from "./stats-overview.suite.ts";
import { describeStatsParameters } from "./stats-parameters.suite.ts";
import { describeStatsRealtime } from "./stats-realtime.suite.ts";
import { describeStatsRevenue } from "./stats-revenue.suite.ts";
import { describeStatsTimeseries } from "./stats-timeseries.suite.ts";
import { describeDataMinimisation, describeStoredEvents } from "./stored-events.suite.ts";
import { describeSiteSettings, describeSiteSettingsRules } from "./site-settings.suite.ts";
import { describeSurface } from "./surface.suite.ts";

type DescribeSuite = (makeTarget: MakeTarget) => void;

/**
 * Bodies, headers, connections, assets, restarts, crashes and records. Of routes, settings, goals and passwords only what a host can
 * break: what it keeps, what headers reach it, and where it hashes.
 */
const OF_HOSTS: readonly DescribeSuite[] = [
  describeIngestBody,
  describeIngestCors,
  describePixel,
  describeKeptCredentials,
  describePasswordChange,
  describeShares,
  describeOwnPages,
  describeRebinding,
  describeHttps,
  describeSurface,
  describeDashboardFiles,
  describeBasePath,
  describeDurability,
  describeSiteSettings,
  describeKeptGoals,
  describeKeptSegments,
  describeKeptAnnotations,
];

/** The rest, in the order of the document. */
const OF_RULES: readonly DescribeSuite[] = [
  describeIngestFields,
  describeAllowlist,
  describeMaxSites,
  describeRateLimits,
  describeBots,
  describeExtraPaths,
  describeStoredEvents,
  describeDataMinimisation,
  describeStatsParameters,
  describeStatsMain,
  describeStatsTimeseries,
  describeStatsBreakdown,
  describeStatsFilters,
  describeStatsFilterOperators,
  describeStatsComparison,
  describeStatsRealtime,
  describeStatsGoals,
  describeStatsProperties,
  describeStatsPropertyValues,
  describeStatsRevenue,
  describeStatsExport,
  describeStatsSessions,
  describeStatsFunnel,
  describeStatsSequences,
  describeStatsFlow,
  describeStatsRetention,
  describeWithoutBehavioral,
  describeStatsCache,
  describeSetup,
  describeSessions,
  describeLockout,
  describeKeys,
  describePasswordRules,
  describeShareRules,
  describeSetupCode,
  describeGuardedRoutes,
  describeAccessMatrix,
  describeErasure,
  describeInstallation,
  describeHealthDetails,
  describeMetrics,
  describeWellKnown,
  describeOpenapi,
  describeExclusions,
  describeStatsOverview,
  describeDemoSite,
  describeSiteSettingsRules,
  describeSiteGoals,
  describeSegments,
  describeAnnotations,
];

export function describeHost(makeTarget: MakeTarget): void {
  for (const describeSuite of OF_HOSTS) describeSuite(makeTarget);
}

export function describeInterface(makeTarget: MakeTarget): void {
  describeHost(makeTarget);
  for (const describeSuite of OF_RULES) describeSuite(makeTarget);
}

/** Registered last: the cases before have asked every route of this host, and no other case was skipped than these. */
export function describeCompleteness(makeTarget: WithAskedRoutes<MakeTarget>, skipped: readonly SkippedCase[]): void {
  it("exactly the listed cases are skipped", () => {
    expect(makeTarget.skipped).toEqual(skipped);
  });

  it("every route is requested by some test case", () => {
    expect([...makeTarget.askedRoutes].sort()).toEqual([...ROUTE_IDS].sort());
  });
}
