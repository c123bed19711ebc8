/** GET /api/stats/sequences (decisions, "Statistics"): how many visitors' events follow a pattern. */
import { parsePattern, patternOfSteps } from "../../runtime/engine/duckdb/behavioral/pattern.ts";
import { invalidInput } from "../../runtime/errors.ts";
import { STEPS_MIN } from "../../runtime/config/limits.ts";
import { sequenceFiguresOf, type SequenceQuestion } from "../../runtime/reports/sequences.ts";
import { parseSteps } from "../../runtime/query/steps.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { behavioralReply } from "./behavioral.ts";

/** Either steps, or a pattern and its conditions; 400 for both, neither, or one that is wrong. */
function parseQuestion(query: Query): SequenceQuestion {
  const [steps, pattern, conditions] = [query.text("steps"), query.text("pattern"), query.text("conditions")];
  if (pattern === null && conditions === null) {
    if (steps === null) throw invalidInput('"steps", or "pattern" and "conditions", are required');
    const parsed = parseSteps("steps", steps, STEPS_MIN);
    return { pattern: patternOfSteps(parsed.length), conditions: parsed };
  }
  if (steps !== null) throw invalidInput('"steps" cannot be combined with "pattern" and "conditions"');
  if (pattern === null) throw invalidInput('"pattern" is required when "conditions" is given');
  const parsed = parseSteps("conditions", conditions, 1);
  parsePattern(pattern, parsed.length);
  return { pattern, conditions: parsed };
}

export const getSequences: Handler = (_request, context) => {
  const query = new Query(context.url);
  const scope = query.scope(context.nowMs);
  const question = parseQuestion(query);
  return behavioralReply(context, { name: "sequences", scope, parameters: [question] }, async (over) => {
    const figures = await over(scope, (ask) => sequenceFiguresOf(ask, scope, question));
    return JSON.stringify({
      converting_visitors: figures.convertingVisitors,
      total_visitors: figures.totalVisitors,
      conversion_rate: figures.conversionRate,
      total_matches: figures.totalMatches,
    });
  });
};
