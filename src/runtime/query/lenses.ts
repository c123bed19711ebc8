/**
 * The lenses of reports: which visits each leaves out (docs/reports.md, "Lenses"). Rules are data, evaluated when a report is asked for, so
 * that they count for the whole past; nothing that they say is stored with an event.
 */
import type { Condition } from "./filters.ts";
import { oneOf } from "./parameters.ts";

/** A visit is left out if any of its events has any of the codes (docs/privacy.md, "Evidence"). */
interface CodesRule {
  readonly id: string;
  /** The date of the rule. A rule never changes its meaning: another one gets another id. */
  readonly since: string;
  readonly codes: readonly string[];
}

/** The rules of `strict`. The version differs whenever they do. */
export const STRICT = {
  version: 1,
  codes: [
    { id: "machines", since: "2026-11-28", codes: ["automation", "headless", "signed_agent", "webdriver"] },
    { id: "contradictions", since: "2026-11-28", codes: ["impossible"] },
  ] satisfies readonly CodesRule[],
} as const;

export const LENS = oneOf(
  "Which visits count. `default`: all that are stored. `strict` leaves out whole visits that the built-in rules take for those of programs. " +
    "`everything` adds what `default` leaves out, which is nothing so far.",
  ["default", "strict", "everything"],
);

type Lens = ReturnType<typeof LENS.parse>;

const STRICT_CONDITION: Condition = { dimension: "lens", test: { kind: "is", values: ["strict"] }, isNegated: false };

/** The conditions that a lens adds to those of a scope: none if it leaves nothing out. */
export const conditionsOfLens = (lens: Lens): readonly Condition[] => (lens === "strict" ? [STRICT_CONDITION] : []);

export const isOfLens = ({ dimension }: Condition): boolean => dimension === "lens";
