/**
 * All HTTP suites. Behavior that depends on the host is tested on every host in both tiers; behavior that is the same on every
 * host (field rules, options, reports) is tested in process, in the tier `all` again where a host or a database may break it, and at
 * night everywhere.
 */
import { expect, it } from "vitest";
import { ROUTE_IDS, type WithAskedRoutes } from "../support/asked-routes.ts";
import type { MakeTarget, SkippedCase } from "../support/target.ts";
import { describeAccessMatrix } from "./access-matrix.suite.ts";
import { describeAnnotations } from "./annotations.suite.ts";
import { describeLockout, describeSessions, describeSetup } from "./auth.suite.ts";
import { describeBadge } from "./badge.suite.ts";
import { describeBasePath } from "./base-path.suite.ts";
import { describeDashboardFiles } from "./dashboard-files.suite.ts";
import { describeDemoSite } from "./demo.suite.ts";
import { describeDurability } from "./durability.suite.ts";
import { describeErasure } from "./erasure.suite.ts";
import { describeCrawls } from "./crawls.suite.ts";
import { describeDropped } from "./dropped.suite.ts";
import { describeExclusions } from "./exclusions.suite.ts";
import { describeEarlierTags } from "./earlier-tags.suite.ts";
import { describeExtraPaths } from "./extra-paths.suite.ts";
import { describeFeed } from "./feed.suite.ts";
import { describeSiteGoals } from "./goals.suite.ts";
import { describeIngestBody } from "./ingest-body.suite.ts";
import { describeIngestCors } from "./ingest-cors.suite.ts";
import { describeIngestFields } from "./ingest-fields.suite.ts";
import { describeAllowlist, describeBots, describeRateLimits } from "./ingest-guards.suite.ts";
import { describeKept } from "./kept.suite.ts";
import { describeKeptCredentials, describeKeys } from "./keys.suite.ts";
import { describeMaxSites } from "./ingest-sites.suite.ts";
import { describeOpenapi } from "./openapi.suite.ts";
import { describeHealthDetails, describeHttps, describeMetrics, describeWellKnown } from "./operations.suite.ts";
import { describeOwnPages } from "./csrf.suite.ts";
import { describePageSpelling } from "./page-spelling.suite.ts";
import { describeMcp } from "./mcp.suite.ts";
import { describePasswordChange, describePasswordRules } from "./password.suite.ts";
import { describePersistentSessionRules, describePersistentSessions } from "./persistent-sessions.suite.ts";
import { describePixel } from "./pixel.suite.ts";
import { describeGuardedRoutes, describeRebinding, describeSetupCode } from "./rebinding.suite.ts";
import { describeRulePreview } from "./rule-preview.suite.ts";
import { describeRules } from "./rules.suite.ts";
import { describeSegments } from "./segments.suite.ts";
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
import { describeStatsLenses } from "./stats-lenses.suite.ts";
import { describeStatsMain } from "./stats-main.suite.ts";
import { describeStatsOverview } from "./stats-overview.suite.ts";
import { describeStatsParameters } from "./stats-parameters.suite.ts";
import { describeStatsRealtime } from "./stats-realtime.suite.ts";
import { describeStatsChanges } from "./stats-changes.suite.ts";
import { describeStatsVisits } from "./stats-visits.suite.ts";
import { describeStatsRules } from "./stats-rules.suite.ts";
import { describeStatsRevenue } from "./stats-revenue.suite.ts";
import { describeStatsTimeseries } from "./stats-timeseries.suite.ts";
import { describeDataMinimisation, describeStoredEvents } from "./stored-events.suite.ts";
import { describeSiteDeletion } from "./site-deletion.suite.ts";
import { describeSiteSettings, describeSiteSettingsRules } from "./site-settings.suite.ts";
import { describeSummary } from "./summary.suite.ts";
import { describeSurface } from "./surface.suite.ts";

type DescribeSuite = (makeTarget: MakeTarget) => void;

/** Where suites run besides in process: a host, or the dialect of another database. */
export type Place = "node" | "workerd" | "clickhouse";

/** A suite, and where `npm run test:all` runs it again because more than the rules can break it there. */
type Suite = readonly [describeSuite: DescribeSuite, ...again: Place[]];

/**
 * Bodies, headers, connections, assets, restarts, crashes and records: the quick tier runs these on every host. Of routes, settings,
 * goals and passwords only what a host can break: what it keeps, what headers reach it, and where it hashes.
 */
const OF_HOSTS: readonly Suite[] = [
  [describeIngestBody],
  [describeIngestCors],
  [describePixel],
  [describeKeptCredentials],
  [describePasswordChange],
  [describePersistentSessions],
  [describeShares, "clickhouse"],
  [describeOwnPages],
  [describeRebinding],
  [describeHttps],
  [describeSurface],
  [describeDashboardFiles],
  [describeBasePath],
  [describeDurability, "clickhouse"],
  [describeSiteSettings],
  [describeKept, "clickhouse"],
];

/**
 * The rest, in the order of the document. Node can break what takes files, sockets, threads or real time; workerd what the registry and
 * the objects of sites share, and what passes between them; ClickHouse what is stored in it or computed by its SQL. Goals stand for segments
 * and annotations, which are kept in the same way.
 */
const OF_RULES: readonly Suite[] = [
  [describeIngestFields],
  [describeAllowlist, "workerd"],
  [describeMaxSites, "workerd"],
  [describeRateLimits, "node", "workerd"],
  [describeBots],
  [describeExtraPaths],
  [describeEarlierTags, "node", "workerd"],
  [describeStoredEvents, "workerd", "clickhouse"],
  [describePageSpelling, "clickhouse"],
  [describeDataMinimisation, "node", "workerd", "clickhouse"],
  [describeStatsParameters],
  [describeStatsMain, "node", "workerd", "clickhouse"],
  [describeStatsTimeseries, "clickhouse"],
  [describeStatsBreakdown, "clickhouse"],
  [describeStatsFilters, "clickhouse"],
  [describeStatsFilterOperators, "clickhouse"],
  [describeStatsLenses, "clickhouse"],
  [describeStatsRules, "clickhouse"],
  [describeStatsComparison, "clickhouse"],
  [describeStatsRealtime, "workerd", "clickhouse"],
  [describeStatsVisits, "node", "clickhouse"],
  [describeStatsChanges, "clickhouse"],
  [describeSummary, "workerd", "clickhouse"],
  [describeBadge, "workerd"],
  [describeFeed, "workerd"],
  [describeStatsGoals, "clickhouse"],
  [describeStatsProperties, "clickhouse"],
  [describeStatsPropertyValues, "clickhouse"],
  [describeStatsRevenue, "clickhouse"],
  [describeStatsExport, "node", "workerd", "clickhouse"],
  [describeStatsSessions, "clickhouse"],
  [describeStatsFunnel, "clickhouse"],
  [describeStatsSequences, "clickhouse"],
  [describeStatsFlow, "clickhouse"],
  [describeStatsRetention, "clickhouse"],
  [describeWithoutBehavioral, "clickhouse"],
  [describeStatsCache],
  [describeSetup, "node", "workerd"],
  [describeSessions, "workerd"],
  [describeLockout, "workerd"],
  [describeKeys, "workerd"],
  [describeMcp, "node", "workerd"],
  [describePasswordRules],
  [describePersistentSessionRules, "workerd"],
  [describeShareRules, "workerd"],
  [describeSetupCode, "workerd"],
  [describeGuardedRoutes, "workerd"],
  [describeAccessMatrix, "node", "workerd", "clickhouse"],
  [describeErasure, "node", "workerd", "clickhouse"],
  [describeInstallation, "workerd"],
  [describeHealthDetails, "node", "workerd", "clickhouse"],
  [describeMetrics, "node", "workerd", "clickhouse"],
  [describeWellKnown, "node", "workerd"],
  [describeOpenapi, "workerd"],
  [describeExclusions, "workerd"],
  [describeDropped, "workerd"],
  [describeCrawls, "workerd"],
  [describeStatsOverview, "workerd", "clickhouse"],
  [describeDemoSite, "node", "workerd", "clickhouse"],
  [describeSiteSettingsRules, "workerd"],
  [describeSiteDeletion, "workerd", "clickhouse"],
  [describeSiteGoals, "workerd", "clickhouse"],
  [describeSegments],
  [describeAnnotations],
  [describeRulePreview, "clickhouse"],
  [describeRules],
];

export function describeHost(makeTarget: MakeTarget): void {
  for (const [describeSuite] of OF_HOSTS) describeSuite(makeTarget);
}

/** What more than the rules can break there, besides what `describeHost` has. */
export const describeAgain =
  (place: Place): DescribeSuite =>
  (makeTarget) => {
    for (const [describeSuite, ...again] of [...OF_HOSTS, ...OF_RULES]) if (again.includes(place)) describeSuite(makeTarget);
  };

/** All suites: in process in every tier, elsewhere at night. */
export function describeInterface(makeTarget: MakeTarget): void {
  for (const [describeSuite] of [...OF_HOSTS, ...OF_RULES]) describeSuite(makeTarget);
}

/** Registered last: the cases before have asked every route of this host, and no other case was skipped than these. */
export function describeCompleteness(makeTarget: WithAskedRoutes<MakeTarget>, skipped: readonly SkippedCase[]): void {
  it("exactly the listed cases are skipped", () => {
    const byCase = (cases: readonly SkippedCase[]) => cases.toSorted((a, b) => (a.case < b.case ? -1 : 1));
    expect(byCase(makeTarget.skipped)).toEqual(byCase(skipped));
  });

  it("every route is requested by some test case", () => {
    expect([...makeTarget.askedRoutes].sort()).toEqual([...ROUTE_IDS].sort());
  });
}
