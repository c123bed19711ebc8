/** A demo site of a year, which takes seconds to make: in process, and in an object, whose memory and time are limited. */
import { afterAll, describe } from "vitest";
import { inProcessTargets } from "../support/in-process-target.ts";
import { workerdTargets } from "../support/workerd-target.ts";
import { describeDemoYear } from "./demo.suite.ts";

const workerd = workerdTargets();
afterAll(() => workerd.closeAll());

describe("in process", () => describeDemoYear(inProcessTargets()));
describe("in workerd", () => describeDemoYear(workerd));
