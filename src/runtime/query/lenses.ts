/**
 * The lenses of reports: which visits each leaves out (docs/reports.md, "Lenses"). Rules are data, evaluated when a report is asked for, so
 * that they count for the whole past; nothing that they say is stored with an event.
 */
import type { CodesRule, Condition, LensRule, WaveRule } from "./filters.ts";
import { oneOf } from "./parameters.ts";

/** The rules of `strict`. The version differs whenever they do. */
export const STRICT = {
  version: 1,
  codes: [
    { id: "machines", since: "2026-11-28", codes: ["automation", "headless", "signed_agent", "webdriver"] },
    { id: "contradictions", since: "2026-11-28", codes: ["impossible"] },
  ] satisfies readonly CodesRule[],
  wave: {
    ...{ id: "waves", since: "2026-11-28" },
    ...{ bareMin: 30, barePercentMin: 90, activeExpectedMin: 12, timesFewer: 4 },
  } satisfies WaveRule,
} as const;

export const LENS = oneOf(
  "Which visits count. `default`: all that are stored. `strict` leaves out whole visits that the built-in rules take for those of programs. " +
    "`everything` adds what `default` leaves out, which is nothing so far.",
  ["default", "strict", "everything"],
);

type Lens = ReturnType<typeof LENS.parse>;

const BUILT_IN: readonly LensRule[] = [...STRICT.codes, STRICT.wave];

/** The conditions that a lens adds to those of a scope: none if it leaves nothing out. `ofSite` are the applied rules of the site. */
export function conditionsOfLens(lens: Lens, ofSite: readonly LensRule[]): readonly Condition[] {
  if (lens === "everything") return [];
  const rules = lens === "strict" ? [...BUILT_IN, ...ofSite] : ofSite;
  return rules.length === 0 ? [] : [{ dimension: "lens", test: { kind: "is", values: [lens] }, isNegated: false, rules }];
}

export const isOfLens = ({ dimension }: Condition): boolean => dimension === "lens";

/** A wave is found among the visits of all visitors; all other rules judge each visit by itself. */
export const comparesVisits = ({ rules = [] }: Condition): boolean => rules.some((rule) => "bareMin" in rule);
