/** The HTTP suites against the built program over TCP. */
import { afterAll } from "vitest";
import { withAskedRoutes } from "../support/asked-routes.ts";
import { nodeTargets } from "../support/node-target.ts";
import { ofTier } from "../support/tier.ts";
import { describeAgain, describeCompleteness, describeHost, describeInterface } from "./interface.suite.ts";
import { SKIPPED_AGAIN, SKIPPED_AT_NIGHT, SKIPPED_OF_HOSTS } from "./skipped-on-node.ts";
import { describeVersion } from "./version.suite.ts";

const makeTarget = withAskedRoutes(nodeTargets());
afterAll(() => makeTarget.closeAll());

ofTier({ quick: describeHost, all: describeAgain("node"), nightly: describeInterface })(makeTarget);

describeVersion(makeTarget);

describeCompleteness(
  makeTarget,
  ofTier({ quick: SKIPPED_OF_HOSTS, all: SKIPPED_AGAIN, nightly: [...SKIPPED_OF_HOSTS, ...SKIPPED_AGAIN, ...SKIPPED_AT_NIGHT] }),
);
