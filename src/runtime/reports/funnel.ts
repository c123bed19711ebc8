/** GET /api/stats/funnel: visitors who complete each of a series of steps within a time window (docs/http-api.md, "Funnel"). */
import { FUNNEL_WEEKS_MAX } from "../base/config/report-limits.ts";
import { FUNNEL_MODES, type FunnelMode } from "../query/behavioral/window-funnel.ts";
import { numberIn, ratio, type SqlRow } from "../query/sql.ts";
import { invalidInput } from "../base/errors.ts";
import { planOf } from "../query/plan.ts";
import { closed, count, fraction, list, text } from "../base/json-schema.ts";
import { parameter, required, type Parameter } from "../query/parameters.ts";
import { parseSteps, type Step, STEP_NOTATION, stepListDescription, stepName } from "../query/conditions.ts";
import { stepVisitors, visitorsByValue } from "./measures/step-events.ts";
import { report } from "./report.ts";
import { CONDITIONS_MAX, STEPS_MIN } from "../../shared/limits.ts";

const SECOND_MS = 1000;
const UNITS_MS = {
  second: SECOND_MS,
  minute: 60 * SECOND_MS,
  hour: 3_600 * SECOND_MS,
  day: 86_400 * SECOND_MS,
  week: 604_800 * SECOND_MS,
} as const;

const WINDOW = /^([1-9]\d{0,8}) ?(second|minute|hour|day|week)s?$/;
const WINDOW_DEFAULT = "1 day";

/** Milliseconds; 400 for an invalid or too long window. */
function parseWindow(value: string | null, name: string): number {
  const [, units = "", unit = ""] = WINDOW.exec(value ?? WINDOW_DEFAULT) ?? [];
  const windowMs = Number(units) * (UNITS_MS[unit as keyof typeof UNITS_MS] ?? 0);
  if (windowMs > 0 && windowMs <= FUNNEL_WEEKS_MAX * UNITS_MS.week) return windowMs;
  throw invalidInput(
    `"${name}" must be a whole number from 1 with one of ${Object.keys(UNITS_MS).join(", ")}, as in "2 days", at most ${FUNNEL_WEEKS_MAX} weeks`,
  );
}

/** Deduplicated and in a fixed order, so that equivalent lists share cached results; 400 for an unknown mode. */
function parseModes(value: string | null, name: string): readonly FunnelMode[] {
  if (value === null || value === "") return [];
  const requested = value.split(",");
  const unknown = requested.find((mode) => !(FUNNEL_MODES as readonly string[]).includes(mode));
  if (unknown !== undefined) throw invalidInput(`"${name}": unknown mode "${unknown}". Use any of ${FUNNEL_MODES.join(", ")}`);
  return FUNNEL_MODES.filter((mode) => requested.includes(mode));
}

const STEPS: Parameter<readonly Step[]> = required(
  stepListDescription(`${STEPS_MIN} to ${CONDITIONS_MAX} steps. ${STEP_NOTATION}`, "Steps.", STEPS_MIN),
  (value, name) => parseSteps(value, name, STEPS_MIN),
);

const FUNNEL_WINDOW: Parameter<number> = parameter(
  {
    description: `The longest time from the first step to the last; at most ${FUNNEL_WEEKS_MAX} weeks.`,
    schema: text("A positive integer and `second`, `minute`, `hour`, `day` or `week`, also with `s`.", {
      pattern: WINDOW.source,
      default: WINDOW_DEFAULT,
    }),
    example: "2 days",
  },
  parseWindow,
);

const MODE = `(?:${FUNNEL_MODES.join("|")})`;

const MODES: Parameter<readonly FunnelMode[]> = parameter(
  {
    description:
      `Any of ${FUNNEL_MODES.join(", ")}, joined by commas. ` +
      "`strict_order`: an event that is not a step, or a later step too early, ends the attempt. `strict_deduplication`: a repeated " +
      "step other than the first ends it. `strict_increase`: steps must have different timestamps. `strict_once`: an event counts for one step at most.",
    schema: text("Any number of modes, or none.", { pattern: `^(?:${MODE}(?:,${MODE})*)?$` }),
    example: "strict_order,strict_once",
  },
  parseModes,
);

/** Bits of the first two steps: without both, a visitor cannot get beyond the first in any mode. */
const BEYOND_THE_FIRST = 0b11;

/** Visitors who reached at least each step. Rows of `reached` count visitors whose last step it is. */
function visitorsOfSteps(steps: readonly Step[], entered: SqlRow | undefined, reached: readonly SqlRow[]): readonly number[] {
  const ended = new Float64Array(steps.length + 1);
  for (const row of reached) ended[numberIn(row, "value")] = numberIn(row, "visitors");
  return steps.map((_, i) =>
    i === 0 ? numberIn(entered, "visitors") : ended.subarray(i + 1).reduce((sum, visitors) => sum + visitors, 0),
  );
}

export const funnel = report({
  path: "/api/stats/funnel",
  operationId: "getFunnel",
  summary: "Visitors who complete a series of steps",
  parameters: { steps: STEPS, window: FUNNEL_WINDOW, modes: MODES },
  result: {
    name: "Funnel",
    schema: list(
      "A row for each step, in order.",
      closed({
        step: count("The number of the step, from 1.", { minimum: 1, maximum: CONDITIONS_MAX }),
        name: text("The step."),
        visitors: count("Distinct visitors who got at least this far."),
        conversion_rate: fraction("Visitors divided by those of the first step."),
        dropped_off: count("Visitors of the previous step who did not reach this one; 0 for the first step."),
      }),
      { minItems: STEPS_MIN, maxItems: CONDITIONS_MAX },
    ),
  },
  extension: "needed",
  plan({ scope, values: { steps, window: windowMs, modes } }) {
    const events = { steps, needed: BEYOND_THE_FIRST, withOthers: modes.includes("strict_order") };
    const queries = [
      stepVisitors(scope, steps[0] ?? { kind: "page", value: "" }),
      visitorsByValue(scope, events, { name: "window_funnel", windowMs, steps: steps.length, modes }),
    ] as const;
    return planOf(scope, queries, ([entered], reached) => {
      const visitors = visitorsOfSteps(steps, entered, reached);
      return steps.map((step, i) => {
        const [before = 0, here = 0] = [visitors[i - 1], visitors[i]];
        return {
          step: i + 1,
          name: stepName(step),
          visitors: here,
          conversion_rate: ratio(here, visitors[0] ?? 0),
          dropped_off: i === 0 ? 0 : before - here,
        };
      });
    });
  },
});
