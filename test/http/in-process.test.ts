/** The HTTP suites against the app as a function: all of them, in both tiers. */
import { expect, it } from "vitest";
import { withAskedRoutes } from "../support/asked-routes.ts";
import { inProcessTargets } from "../support/in-process-target.ts";
import { NODE_LACKS } from "../support/node-target.ts";
import { describeCompleteness, describeInterface } from "./interface.suite.ts";
import { SKIPPED_AGAIN, SKIPPED_AT_NIGHT, SKIPPED_OF_HOSTS } from "./skipped-on-node.ts";

const makeTarget = withAskedRoutes(inProcessTargets());

describeInterface(makeTarget);

describeCompleteness(makeTarget, []);

it("Node skips exactly the listed cases of all suites, most of which it runs at night only", () => {
  const skipped = makeTarget.needing.filter(({ abilities }) => abilities.some((ability) => ability in NODE_LACKS));
  const listed = [...SKIPPED_OF_HOSTS, ...SKIPPED_AGAIN, ...SKIPPED_AT_NIGHT];
  expect(skipped.map((needing) => needing.case).toSorted()).toEqual(listed.map((skippedCase) => skippedCase.case).toSorted());
});
