/** How many visitors' events follow a pattern, and how often (decisions, "Statistics"). */
import { parsePattern } from "../engine/duckdb/behavioral/pattern.ts";
import { queryHeadline } from "./queries/headline.ts";
import { queryStepEvents } from "./queries/steps.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, ratio } from "../query/row-values.ts";
import type { Scope } from "../query/scope.ts";
import type { Step } from "../query/steps.ts";

export interface SequenceQuestion {
  /** See `pattern.ts`. */
  readonly pattern: string;
  readonly conditions: readonly Step[];
}

export interface SequenceFigures {
  readonly convertingVisitors: number;
  /** Of the scope, whatever they did. */
  readonly totalVisitors: number;
  readonly conversionRate: number;
  readonly totalMatches: number;
}

/** The bits of the conditions that the pattern names: a visitor who does not meet them all cannot follow it. */
function neededBy({ pattern, conditions }: SequenceQuestion): number {
  const named = new Set(parsePattern(pattern, conditions.length).wanted);
  return conditions.reduce((bits, _, i) => (named.has(i + 1) ? bits + 2 ** i : bits), 0);
}

export async function sequenceFiguresOf(ask: Ask, scope: Scope, question: SequenceQuestion): Promise<SequenceFigures> {
  const { pattern, conditions } = question;
  const events = { steps: conditions, needed: neededBy(question), withOthers: false };
  const [[headline], tallies] = await ask(
    queryHeadline(scope),
    queryStepEvents(scope, events, { name: "sequence_count", pattern, conditions: conditions.length }),
  );
  const matches = tallies.map((row) => ({ count: numberIn(row, "value"), visitors: numberIn(row, "visitors") }));
  const totalVisitors = numberIn(headline, "visitors");
  const convertingVisitors = matches.reduce((sum, { count, visitors }) => (count > 0 ? sum + visitors : sum), 0);
  return {
    convertingVisitors,
    totalVisitors,
    conversionRate: ratio(convertingVisitors, totalVisitors),
    totalMatches: matches.reduce((sum, { count, visitors }) => sum + count * visitors, 0),
  };
}
