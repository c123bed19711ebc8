/** The HTTP suites against the app as a function, with ClickHouse in the place of DuckDB. */
import { describe } from "vitest";
import { withAskedRoutes } from "../support/asked-routes.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { clickhouseTargets, NO_FILES_READ } from "../support/clickhouse-target.ts";
import type { SkippedCase } from "../support/target.ts";
import { ofTier } from "../support/tier.ts";
import { describeAgain, describeCompleteness, describeInterface } from "./interface.suite.ts";

/** Cases that cannot run here. A name that is missing, wrong or no longer needed fails a test. */
const SKIPPED: readonly SkippedCase[] = [
  { case: "reports events of the journal also after a query has read them", reason: NO_FILES_READ },
  { case: "a flush adds a file to the catalog, and a query a partition to the cache", reason: NO_FILES_READ },
  { case: "with more patterns than one request may have are refused, and nothing fails", reason: NO_FILES_READ },
];

const makeTarget = withAskedRoutes(clickhouseTargets(clickhouseOfFile()));

describe("with ClickHouse", () => {
  ofTier({ quick: describeAgain("clickhouse"), all: describeAgain("clickhouse"), nightly: describeInterface })(makeTarget);
  describeCompleteness(makeTarget, SKIPPED);
});
