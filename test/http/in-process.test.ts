/** The HTTP suites against the app as a function: all of them, in both tiers. */
import { withAskedRoutes } from "../support/asked-routes.ts";
import { inProcessTargets } from "../support/in-process-target.ts";
import { describeCompleteness, describeInterface } from "./interface.suite.ts";

const makeTarget = withAskedRoutes(inProcessTargets());

describeInterface(makeTarget);

describeCompleteness(makeTarget, []);
