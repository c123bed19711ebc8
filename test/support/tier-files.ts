/** The test files of each tier. Files not listed here belong to both tiers and run once. */
import type { Tier } from "./tier.ts";

/** Left out of the quick tier. */
export const ONLY_IN_ALL: readonly string[] = [
  // Cases of other files, once more: in a second browser, over a thread, in workerd, under `wrangler dev`, behind nginx and Caddy.
  "test/browser/tracker.firefox.test.ts",
  "test/contract/threaded-engine.test.ts",
  "test/contract/workerd-ports.test.ts",
  "test/browser/sub-path.test.ts",
  "test/http/proxy-snippets.test.ts",
  "test/http/reverse-proxy.test.ts",
  "test/http/wrangler-dev.test.ts",
  // They need the package of `test/clickhouse`.
  "test/contract/clickhouse-front.test.ts",
  "test/contract/clickhouse-schema.test.ts",
  "test/contract/erasure-requests.test.ts",
  "test/contract/clickhouse-nodes.test.ts",
  "test/contract/clickhouse-settings.test.ts",
  "test/contract/clickhouse-shards.test.ts",
  "test/contract/clickhouse-connection.test.ts",
  "test/contract/clickhouse-events.test.ts",
  "test/contract/clickhouse-backend.test.ts",
  "test/property/clickhouse-agreement.test.ts",
  "test/property/clickhouse-properties.test.ts",
  "test/http/clickhouse.test.ts",
  "test/property/clickhouse.test.ts",
  "test/program/clickhouse.test.ts",
  "test/fault/clickhouse-kill.test.ts",
  "test/fault/clickhouse-steps.test.ts",
  // Many starts, kills, clients or events.
  "test/fault/busy-stop.test.ts",
  "test/fault/cluster-kill.test.ts",
  "test/fault/cluster-nodes.test.ts",
  "test/fault/damaged-data.test.ts",
  "test/fault/data-commands.test.ts",
  "test/fault/disk.test.ts",
  "test/fault/engine-change.test.ts",
  "test/fault/file-modes.test.ts",
  "test/fault/folder-lock-processes.test.ts",
  "test/fault/full-disk.test.ts",
  "test/fault/overload.test.ts",
  "test/fault/reindex-kill.test.ts",
  "test/fault/stop.test.ts",
  "test/fault/workerd-kill.test.ts",
  "test/fault/workerd-moves.test.ts",
  "test/http/workerd-alarms.test.ts",
  "test/http/workerd-sites.test.ts",
  "test/http/growth.test.ts",
  "test/http/stats-many-properties.test.ts",
  "test/program/reset-password.test.ts",
  "test/program/start-and-stop.test.ts",
  // Many views and widths in a browser.
  "test/browser/dashboard.comparison.test.ts",
  "test/browser/dashboard.layout.test.ts",
  "test/browser/dashboard.navigation.test.ts",
  "test/browser/dashboard.outage.test.ts",
  "test/browser/dashboard.realtime.test.ts",
  // Many builds.
  "test/deploy/image.test.ts",
  "test/install/clone.test.ts",
  // A build, and an archive of it.
  "test/unit/tools/release-archive.test.ts",
];

/** Files in both tiers that run more hosts, rounds or seeds in `all`: those that import `tier.ts`. */
export const MORE_IN_ALL: readonly string[] = [
  "test/browser/dashboard.view.test.ts",
  "test/fault/backup-steps.test.ts",
  "test/fault/compaction.test.ts",
  "test/fault/erasure.test.ts",
  "test/fault/history.test.ts",
  "test/fault/kill.test.ts",
  "test/fault/power-loss.test.ts",
  "test/fault/rollups.test.ts",
  "test/fault/rollup-making.test.ts",
  "test/fault/secret-replacement.test.ts",
  "test/http/node.test.ts",
  "test/http/unread-responses.test.ts",
  "test/http/workerd.test.ts",
  "test/property/behavioral-figures.test.ts",
  "test/property/behavioral-functions.test.ts",
  "test/property/breakdowns.test.ts",
  "test/property/chunks.test.ts",
  "test/property/comparison.test.ts",
  "test/property/figures.test.ts",
  "test/property/intervals.test.ts",
  "test/property/overview.test.ts",
  "test/property/property-keys.test.ts",
  "test/property/rollups.test.ts",
  "test/property/rollup-totals.test.ts",
  "test/property/filtered-views.test.ts",
  "test/property/zones.test.ts",
];

/** For `vitest.config.ts`. `npm run test:all` runs both, one after the other: everything, and as little as can be twice. */
export const FILES: Readonly<Record<Tier, { include: string[]; exclude: string[] }>> = {
  quick: { include: ["test/**/*.test.ts"], exclude: ["**/node_modules/**", ...ONLY_IN_ALL] },
  all: { include: [...ONLY_IN_ALL, ...MORE_IN_ALL], exclude: [] },
};
