/** The properties of every report with ClickHouse. */
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { createClickhouseTarget } from "../support/clickhouse-target.ts";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { describeBehavioralFigures } from "./behavioral-figures.suite.ts";
import { describeBreakdowns } from "./breakdowns.suite.ts";
import { describeFigures } from "./figures.suite.ts";
import { describeFilteredViews } from "./filtered-views.suite.ts";
import { describeIntervals } from "./intervals.suite.ts";
import { describePropertyKeys } from "./property-keys.suite.ts";

const clickhouse = clickhouseOfFile();
const makeTarget: MakeInProcessTarget = (environment, parts) => createClickhouseTarget(clickhouse(), environment, parts);

describeFigures(makeTarget);
describeBreakdowns(makeTarget);
describeIntervals(makeTarget);
describeFilteredViews(makeTarget);
describeBehavioralFigures(makeTarget);
describePropertyKeys(makeTarget);
