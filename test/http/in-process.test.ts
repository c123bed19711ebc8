/** The interface document against the app as a function. */
import { expect, it } from "vitest";
import { inProcessTargets } from "../support/in-process-target.ts";
import { describeInterface } from "./interface.suite.ts";

const makeTarget = inProcessTargets();

describeInterface(makeTarget);

it("leaves no case out", () => {
  expect(makeTarget.skipped).toEqual([]);
});
