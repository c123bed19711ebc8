/**
 * The rules of the lens `strict` (docs/reports.md, "Lenses"). They are data, evaluated when a report is asked for, so that they count for
 * the whole past; nothing that they say is stored with an event.
 */
import { addDays } from "../../storage/calendar.ts";
import { type EpochMs, type LocalDate, utcDateOf } from "../../storage/event.ts";
import type { CodesRule, FilterRule, LensRule, WaveRule } from "./filters.ts";

interface BuiltInRule {
  readonly id: string;
  /** What it leaves out, for people. */
  readonly description: string;
  /** The date of the rule. A rule never changes its meaning: another one gets another id. */
  readonly since: LocalDate;
  /** The first version of `strict` that counts by it. */
  readonly version: number;
  readonly rule: LensRule;
}

/** No figure of `strict` changes before everybody could see by how much. */
const SHADOW_DAYS = 28;

/** Its rules count at once: there was no figure that they could change. */
const FIRST_VERSION = 1;

const date = (text: string): LocalDate => text as LocalDate;

/** A rule that is added has the next version. */
export const BUILT_IN_RULES: readonly BuiltInRule[] = [
  {
    id: "machines",
    description: "Visits with an event of a program: automation, a browser without a window or under remote control, a signed agent.",
    since: date("2026-11-28"),
    version: FIRST_VERSION,
    rule: { codes: ["automation", "headless", "signed_agent", "webdriver"] } satisfies CodesRule,
  },
  {
    id: "contradictions",
    description: "Visits with an event whose User-Agent and client hints contradict each other.",
    since: date("2026-11-28"),
    version: FIRST_VERSION,
    rule: { codes: ["impossible"] } satisfies CodesRule,
  },
  {
    id: "waves",
    description: "Bounces of a country and browser that have many of them on a date and hardly any other visit, unlike all others.",
    since: date("2026-11-28"),
    version: FIRST_VERSION,
    rule: { bareMin: 30, barePercentMin: 90, activeExpectedMin: 12, timesFewer: 4 } satisfies WaveRule,
  },
  {
    id: "data_centres",
    description: "Visits from networks of data centres that show no person: bounces without an outbound click or a goal.",
    since: date("2026-11-29"),
    version: 2,
    rule: {
      conditions: [{ dimension: "evidence", test: { kind: "word", values: ["data_centre"], isOfRule: true }, isNegated: false }],
      ...{ firstDate: null, lastDate: null, sparesPeople: true },
    } satisfies FilterRule,
  },
];

/** The date of UTC from which on `strict` counts by the rule. */
export const countsFrom = ({ since, version }: Pick<BuiltInRule, "since" | "version">): LocalDate =>
  version === FIRST_VERSION ? since : addDays(since, SHADOW_DAYS);

/** A clock before the first version changes nothing. */
export const isInShadow = (rule: BuiltInRule, nowMs: EpochMs): boolean =>
  rule.version !== FIRST_VERSION && utcDateOf(nowMs) < countsFrom(rule);

/** The rules by which `strict` counts at a time. */
export const rulesOfStrict = (nowMs: EpochMs): readonly BuiltInRule[] => BUILT_IN_RULES.filter((rule) => !isInShadow(rule, nowMs));

export const versionOfStrict = (nowMs: EpochMs): number => Math.max(...rulesOfStrict(nowMs).map(({ version }) => version));
