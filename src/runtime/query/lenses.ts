/** The lenses of reports: which visits each leaves out (docs/reports.md, "Lenses"). */
import type { EpochMs } from "../../storage/event.ts";
import { rulesOfStrict } from "./built-in-rules.ts";
import type { Condition, LensRule } from "./filters.ts";
import { oneOf } from "./parameters.ts";

export const LENS = oneOf(
  "Which visits count. `default`: all but those that applied rules of the site leave out. `strict` also leaves out whole visits that the " +
    "built-in rules take for those of programs. `everything`: all that are stored.",
  ["default", "strict", "everything"],
);

type Lens = ReturnType<typeof LENS.parse>;

const lensOf = (name: string, rules: readonly LensRule[], isNegated: boolean): Condition => ({
  dimension: "lens",
  test: { kind: "is", values: [name] },
  isNegated,
  rules,
});

/** The conditions that a lens adds to those of a scope: none if it leaves nothing out. `ofSite` are the applied rules of the site. */
export function conditionsOfLens(lens: Lens, ofSite: readonly LensRule[], nowMs: EpochMs): readonly Condition[] {
  if (lens === "everything") return [];
  const rules = lens === "strict" ? [...rulesOfStrict(nowMs).map(({ rule }) => rule), ...ofSite] : ofSite;
  return rules.length === 0 ? [] : [lensOf(lens, rules, false)];
}

/** Only visits that the rule leaves out. */
export const isLeftOutBy = (rule: LensRule): Condition => lensOf("preview", [rule], true);

const WITHOUT_PROOF: LensRule = { conditions: [], firstDate: null, lastDate: null, sparesPeople: true };

/** Only visits with proof of a person. */
export const SHOWS_PERSON: Condition = lensOf("people", [WITHOUT_PROOF], false);

export const isOfLens = ({ dimension }: Condition): boolean => dimension === "lens";

/** A wave is found among the visits of all visitors; all other rules judge each visit by itself. */
export const comparesVisits = ({ rules = [] }: Condition): boolean => rules.some((rule) => "bareMin" in rule);
