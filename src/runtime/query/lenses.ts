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

/**
 * A wave: many visits of one country and browser on one day, of which nearly all are bare, while those of other countries and browsers do
 * more. The bare ones are left out. A visit belongs to the day, country and browser of its first event; it is bare if it is a bounce.
 */
interface WaveRule {
  readonly id: string;
  readonly since: string;
  /** A group is suspect with so many bare visits, if they are so many of a hundred of its visits. */
  readonly bareMin: number;
  readonly barePercentMin: number;
  /**
   * It is a wave if it would have so many visits that are not bare, were it like the groups of the day that are not suspect, and these
   * have as many.
   */
  readonly activeExpectedMin: number;
  /** And if it has so many times fewer of them. */
  readonly timesFewer: number;
}

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

const STRICT_CONDITION: Condition = { dimension: "lens", test: { kind: "is", values: ["strict"] }, isNegated: false };

/** The conditions that a lens adds to those of a scope: none if it leaves nothing out. */
export const conditionsOfLens = (lens: Lens): readonly Condition[] => (lens === "strict" ? [STRICT_CONDITION] : []);

export const isOfLens = ({ dimension }: Condition): boolean => dimension === "lens";
