/** GET /api/stats/sequences: visitors whose events match a pattern, and the number of matches (docs/http-api.md, "Sequences"). */
import { CONDITIONS_MAX, STEPS_MIN } from "../../shared/limits.ts";
import { PATTERN_CHARS_MAX, PATTERN_EVENTS_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { parsePattern, patternOfSteps } from "../query/behavioral/sequence.ts";
import { closed, count, fraction, text } from "../base/json-schema.ts";
import { optional, type Values } from "../query/parameters.ts";
import { planOf } from "../query/plan.ts";
import { numberIn, ratio } from "../query/sql.ts";
import { parseSteps, STEP_NOTATION, stepListDescription } from "../query/conditions.ts";
import { VISITORS } from "./measures/fields.ts";
import { visitorsByValue } from "./measures/step-events.ts";
import { visitorCounts } from "./measures/counts.ts";
import { report } from "./report.ts";

/** Only `parsePattern` checks that numbered conditions exist and that a time stands between two events. */
const PATTERN = /^(?:\(\?[1-9]\d?\)|\(\?t(?:<=?|>=?|==)\d{1,9}\)|\.\*?)+$/;

const PARAMETERS = {
  steps: optional(
    stepListDescription(
      `${STEPS_MIN} to ${CONDITIONS_MAX} steps in this order, with anything in between. ${STEP_NOTATION}`,
      "Steps.",
      STEPS_MIN,
    ),
    (value, name) => parseSteps(value, name, STEPS_MIN),
  ),
  pattern: optional(
    {
      description:
        "Adjacent events among those that meet a condition: `(?1)` is an event that meets the first condition, `.` one that meets any, `.*` any " +
        "number of events, and `(?t<=3600)` limits the seconds between the two events around it, whatever is between them: with `<`, `<=`, `>`, `>=`, " +
        `or \`==\` for whole seconds. At most ${PATTERN_EVENTS_MAX} events and ${PATTERN_CHARS_MAX} characters.`,
      schema: text("The pattern.", { pattern: PATTERN.source }),
      example: "(?1).*(?t<=3600)(?2)",
    },
    (value) => value,
  ),
  conditions: optional(stepListDescription(`1 to ${CONDITIONS_MAX} conditions, written like steps.`, "Conditions.", 1), (value, name) =>
    parseSteps(value, name, 1),
  ),
};

/** Steps, or a pattern and its conditions; 400 for both, neither, or an invalid pattern. */
function sequenceOf({ steps, pattern, conditions }: Values<typeof PARAMETERS>) {
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

/** Bits of the conditions in the pattern: a visitor without an event for each of them cannot match. */
function neededBy({ pattern, conditions }: ReturnType<typeof sequenceOf>): number {
  const named = new Set(parsePattern(pattern, conditions.length).wanted);
  return conditions.reduce((bits, _, i) => (named.has(i + 1) ? bits + 2 ** i : bits), 0);
}

export const sequences = report({
  path: "/api/stats/sequences",
  operationId: "getSequences",
  summary: "Visitors whose events match a pattern",
  description: "Requires either `steps`, or `pattern` and `conditions`.",
  parameters: PARAMETERS,
  check: sequenceOf,
  result: {
    name: "Sequences",
    schema: closed({
      converting_visitors: count("Distinct visitors with at least one match."),
      total_visitors: VISITORS,
      conversion_rate: fraction("Converting visitors divided by total visitors."),
      total_matches: count("All matches of all visitors. Matches of one visitor do not overlap."),
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
