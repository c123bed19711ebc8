/** The interface document against the built program over TCP. */
import { afterAll, expect, it } from "vitest";
import { nodeTargets } from "../support/node-target.ts";
import { describeDurability } from "./durability.suite.ts";
import { describeIngestBody } from "./ingest-body.suite.ts";
import { describeIngestCors } from "./ingest-cors.suite.ts";
import { describeIngestFields } from "./ingest-fields.suite.ts";
import { describeAllowlist, describeBots, describeRateLimits } from "./ingest-guards.suite.ts";
import { describePixel } from "./pixel.suite.ts";
import { describeStatsBreakdown } from "./stats-breakdown.suite.ts";
import { describeStatsMain } from "./stats-main.suite.ts";
import { describeStatsParameters } from "./stats-parameters.suite.ts";
import { describeStatsTimeseries } from "./stats-timeseries.suite.ts";
import { describeDataMinimisation, describeStoredEvents } from "./stored-events.suite.ts";
import { describeSurface } from "./surface.suite.ts";

/** Cases that cannot run here. A name that is missing, wrong or no longer needed fails the last test. */
const SKIPPED: readonly { readonly case: string; readonly reason: string }[] = [];

const makeTarget = nodeTargets();
afterAll(() => makeTarget.closeAll());

describeIngestFields(makeTarget);
describeIngestBody(makeTarget);
describeAllowlist(makeTarget);
describeRateLimits(makeTarget);
describeBots(makeTarget);
describeIngestCors(makeTarget);
describePixel(makeTarget);
describeStoredEvents(makeTarget);
describeDataMinimisation(makeTarget);
describeStatsParameters(makeTarget);
describeStatsMain(makeTarget);
describeStatsTimeseries(makeTarget);
describeStatsBreakdown(makeTarget);
describeSurface(makeTarget);
describeDurability(makeTarget);

it("leaves out the listed cases and no other", () => {
  expect(makeTarget.skipped).toEqual(SKIPPED.map((skipped) => skipped.case));
});
