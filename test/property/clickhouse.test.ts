/** The properties of every report with ClickHouse. */
import { describe } from "vitest";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { createClickhouseTarget } from "../support/clickhouse-target.ts";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { describeBehavioralFigures } from "./behavioral-figures.suite.ts";
import { describeBreakdownRows } from "./breakdown-rows.suite.ts";
import { describeBreakdowns } from "./breakdowns.suite.ts";
import { describeFigures } from "./figures.suite.ts";
import { describeFilterOperators, describeRulesOfSite } from "./filter-operators.suite.ts";
import { describeFilteredViews } from "./filtered-views.suite.ts";
import { describeIntervals } from "./intervals.suite.ts";
import { describeLenses } from "./lenses.suite.ts";
import { describePropertyKeys } from "./property-keys.suite.ts";
import { PROPERTY_RUNS, type Runs } from "./settings.ts";
import { describeVisitSums } from "./visit-sums.suite.ts";
import { describeZones } from "./zones.suite.ts";

/** Fewer, because a statement takes some ten times as long. */
const RUNS: Runs = { from: 0, to: Math.ceil(PROPERTY_RUNS / 12) };

const clickhouse = clickhouseOfFile();
const makeTarget: MakeInProcessTarget = (environment, parts) => createClickhouseTarget(clickhouse(), environment, parts);

describe("with ClickHouse", () => {
  describeFigures(makeTarget, RUNS);
  describeBreakdowns(makeTarget, RUNS);
  describeBreakdownRows(makeTarget, RUNS);
  describeIntervals(makeTarget, RUNS);
  describeFilteredViews(makeTarget, RUNS);
  describeFilterOperators(makeTarget, RUNS);
  describeRulesOfSite(makeTarget, RUNS, false);
  describeBehavioralFigures(makeTarget, RUNS);
  describePropertyKeys(makeTarget, RUNS);
  describeLenses(makeTarget);
  describeVisitSums(makeTarget, RUNS);
  describeZones("in ClickHouse", makeTarget, { runs: Math.ceil(PROPERTY_RUNS / 240) });
});
