/** How many visitors take one step after the other within a window of time (decisions, "Statistics"). */
import { FUNNEL_MODES, type FunnelMode } from "../engine/duckdb/behavioral/window-funnel.ts";
import { invalidInput } from "../errors.ts";
import { FUNNEL_WEEKS_MAX } from "../config/limits.ts";
import { queryStepEvents, queryStepVisitors } from "./queries/steps.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, ratio } from "../query/row-values.ts";
import type { Scope } from "../query/scope.ts";
import { stepName, type Step } from "../query/steps.ts";

export interface Funnel {
  readonly steps: readonly Step[];
  readonly windowMs: number;
  readonly modes: readonly FunnelMode[];
}

export interface FunnelRow {
  /** From 1. */
  readonly step: number;
  readonly name: string;
  /** Who got at least this far. */
  readonly visitors: number;
  /** Of those of the first step. */
  readonly conversionRate: number;
  /** Who got as far as the step before and no further. */
  readonly droppedOff: number;
}

const SECOND_MS = 1000;
const UNITS_MS = {
  second: SECOND_MS,
  minute: 60 * SECOND_MS,
  hour: 3_600 * SECOND_MS,
  day: 86_400 * SECOND_MS,
  week: 604_800 * SECOND_MS,
} as const;

/** How a window is written. */
export const FUNNEL_WINDOW = /^([1-9]\d{0,8}) ?(second|minute|hour|day|week)s?$/;
export const FUNNEL_WINDOW_DEFAULT = "1 day";

/** In milliseconds; 400 for what is no window or too long a one. */
export function parseFunnelWindow(text: string | null): number {
  const [, count = "", unit = ""] = FUNNEL_WINDOW.exec(text ?? FUNNEL_WINDOW_DEFAULT) ?? [];
  const windowMs = Number(count) * (UNITS_MS[unit as keyof typeof UNITS_MS] ?? 0);
  if (windowMs > 0 && windowMs <= FUNNEL_WEEKS_MAX * UNITS_MS.week) return windowMs;
  throw invalidInput(
    `"window" must be a whole number from 1 with one of ${Object.keys(UNITS_MS).join(", ")}, as in "2 days", at most ${FUNNEL_WEEKS_MAX} weeks`,
  );
}

/** In an order of their own and each once; 400 for an unknown one. */
export function parseFunnelModes(text: string | null): readonly FunnelMode[] {
  if (text === null || text === "") return [];
  const asked = text.split(",");
  const unknown = asked.find((mode) => !(FUNNEL_MODES as readonly string[]).includes(mode));
  if (unknown !== undefined) throw invalidInput(`"modes": there is no mode "${unknown}"; there are ${FUNNEL_MODES.join(", ")}`);
  return FUNNEL_MODES.filter((mode) => asked.includes(mode));
}

/** The first two steps: without both, nobody gets beyond the first, whatever the modes. */
const BEYOND_THE_FIRST = 0b11;

/** A row a step. */
export async function funnelOf(ask: Ask, scope: Scope, { steps, windowMs, modes }: Funnel): Promise<FunnelRow[]> {
  const [first] = steps;
  if (!first) return [];
  const events = { steps, needed: BEYOND_THE_FIRST, withOthers: modes.includes("strict_order") };
  const [[entered], reached] = await ask(
    queryStepVisitors(scope, first),
    queryStepEvents(scope, events, { name: "window_funnel", windowMs, steps: steps.length, modes }),
  );
  const ended = new Float64Array(steps.length + 1);
  for (const row of reached) ended[numberIn(row, "value")] = numberIn(row, "visitors");
  const all = numberIn(entered, "visitors");
  const visitors = steps.map((_, i) => (i === 0 ? all : ended.subarray(i + 1).reduce((sum, count) => sum + count, 0)));
  return steps.map((step, i) => ({
    step: i + 1,
    name: stepName(step),
    visitors: visitors[i] ?? 0,
    conversionRate: ratio(visitors[i] ?? 0, all),
    droppedOff: i === 0 ? 0 : (visitors[i - 1] ?? 0) - (visitors[i] ?? 0),
  }));
}
