/** The HTTP suites against the Durable Object in workerd. */
import { afterAll } from "vitest";
import { withAskedRoutes } from "../support/asked-routes.ts";
import type { SkippedCase } from "../support/target.ts";
import { ofTier } from "../support/tier.ts";
import { NO_EARLY_ANSWER, workerdTargets } from "../support/workerd-target.ts";
import { describeAgain, describeCompleteness, describeHost, describeInterface } from "./interface.suite.ts";
import { describeVersion } from "./version.suite.ts";

/** Cases that cannot run here. A name that is missing, wrong or no longer needed fails a test. */
const SKIPPED_OF_HOSTS: readonly SkippedCase[] = [
  { case: "a chunked body that continues after the limit still gets its 413", reason: NO_EARLY_ANSWER },
];

const SKIPPED_AGAIN: readonly SkippedCase[] = [{ case: "PUT /api/settings answers 413 as documented", reason: NO_EARLY_ANSWER }];

const makeTarget = withAskedRoutes(workerdTargets());
afterAll(() => makeTarget.closeAll());

ofTier({ quick: describeHost, all: describeAgain("workerd"), nightly: describeInterface })(makeTarget);

describeVersion(makeTarget);

describeCompleteness(makeTarget, ofTier({ quick: SKIPPED_OF_HOSTS, all: SKIPPED_AGAIN, nightly: [...SKIPPED_OF_HOSTS, ...SKIPPED_AGAIN] }));
