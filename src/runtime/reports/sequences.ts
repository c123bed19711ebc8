/** GET /api/stats/sequences: how many visitors' events follow a pattern, and how often (docs/http-api.md, "Sequences"). */
import { CONDITIONS_MAX, PATTERN_CHARS_MAX, PATTERN_EVENTS_MAX, STEPS_MIN } from "../config/limits.ts";
import { parsePattern, patternOfSteps } from "../engine/duckdb/behavioral/pattern.ts";
import { invalidInput } from "../errors.ts";
import { planOf } from "../execution/plan.ts";
import { closed, count, fraction, text } from "../query/json-schema.ts";
import { optional, type Values } from "../query/parameters.ts";
import { numberIn, ratio } from "../query/row-values.ts";
import { STEP_NOTATION, parseSteps, stepListDescription } from "../query/step-parameters.ts";
import type { Step } from "../query/steps.ts";
import { VISITORS } from "./measures/fields.ts";
import { visitorsByValue } from "./measures/step-events.ts";
import { visitorCounts } from "./measures/visitor-counts.ts";
import { report } from "./report.ts";

/** Which conditions there are, and that a time stands between events, is said in words only. */
const PATTERN = /^(?:\(\?[1-9]\d?\)|\(\?t(?:<=?|>=?|==)\d{1,9}\)|\.\*?)+$/;

const PARAMETERS = {
  steps: optional(
    stepListDescription(`${STEPS_MIN} to ${CONDITIONS_MAX} steps with anything between them. ${STEP_NOTATION}`, "Steps.", STEPS_MIN),
    (value, name) => parseSteps(value, name, STEPS_MIN),
  ),
  pattern: optional(
    {
      description:
        "Events one right after the other among those that meet a condition: `(?1)` meets the first condition, `.` any; `.*` lets others lie " +
        "between, and so does `(?t<=3600)`, which says how many seconds the two around it are apart: with `<`, `<=`, `>`, `>=`, or `==`, which " +
        `goes by whole seconds. At most ${PATTERN_EVENTS_MAX} events and ${PATTERN_CHARS_MAX} characters.`,
      schema: text("The pattern.", { pattern: PATTERN.source }),
      example: "(?1).*(?t<=3600)(?2)",
    },
    (value) => value,
  ),
  conditions: optional(stepListDescription(`1 to ${CONDITIONS_MAX} conditions, written as steps are.`, "Conditions.", 1), (value, name) =>
    parseSteps(value, name, 1),
  ),
};

interface Sequence {
  /** See `pattern.ts`. */
  readonly pattern: string;
  readonly conditions: readonly Step[];
}

/** Either steps, or a pattern and its conditions; 400 for both, neither, or a pattern that is wrong. */
function sequenceOf({ steps, pattern, conditions }: Values<typeof PARAMETERS>): Sequence {
  if (pattern === null && conditions === null) {
    if (steps === null) throw invalidInput('"steps", or "pattern" and "conditions", are required');
    return { pattern: patternOfSteps(steps.length), conditions: steps };
  }
  if (steps !== null) throw invalidInput('"steps" cannot be combined with "pattern" and "conditions"');
  if (pattern === null) throw invalidInput('"pattern" is required when "conditions" is given');
  if (conditions === null) throw invalidInput('"conditions" is required');
  parsePattern(pattern, conditions.length);
  return { pattern, conditions };
}

/** The bits of the conditions that the pattern names: a visitor who does not meet them all cannot follow it. */
function neededBy({ pattern, conditions }: Sequence): number {
  const named = new Set(parsePattern(pattern, conditions.length).wanted);
  return conditions.reduce((bits, _, i) => (named.has(i + 1) ? bits + 2 ** i : bits), 0);
}

export const sequences = report({
  path: "/api/stats/sequences",
  operationId: "getSequences",
  summary: "How many visitors' events follow a pattern",
  description: "Takes `steps`, or else `pattern` and `conditions`.",
  parameters: PARAMETERS,
  check: sequenceOf,
  result: {
    name: "Sequences",
    schema: closed({
      converting_visitors: count("Distinct visitors whose events follow the pattern."),
      total_visitors: VISITORS,
      conversion_rate: fraction("Their share of all visitors of the range."),
      total_matches: count("How often events follow the pattern, over all visitors. Matches of a visitor do not overlap."),
    }),
  },
  extension: "needed",
  plan({ scope, values }) {
    const sequence = sequenceOf(values);
    const { pattern, conditions } = sequence;
    const events = { steps: conditions, needed: neededBy(sequence), withOthers: false };
    const matches = visitorsByValue(scope, events, { name: "sequence_count", pattern, conditions: conditions.length });
    return planOf(scope, [visitorCounts(scope), matches], ([all], tallies) => {
      let [converting, total] = [0, 0];
      for (const row of tallies) {
        const [times, visitors] = [numberIn(row, "value"), numberIn(row, "visitors")];
        if (times > 0) converting += visitors;
        total += times * visitors;
      }
      const visitors = numberIn(all, "visitors");
      return {
        converting_visitors: converting,
        total_visitors: visitors,
        conversion_rate: ratio(converting, visitors),
        total_matches: total,
      };
    });
  },
});
