/** What the rules of a lens mean, for visits in memory: the model that the SQL of both engines has to equal. */
import { rulesOfStrict } from "../../src/runtime/query/built-in-rules.ts";
import type { WaveRule } from "../../src/runtime/query/filters.ts";
import type { StoredEvent } from "../../src/storage/event.ts";

/** Its events that the reader may see, in order of time. */
type Visit = readonly StoredEvent[];

/** Those of the first version, which `strict` has at all times of the tests. */
const RULES = rulesOfStrict(0).map(({ rule }) => rule);

function isBare(visit: Visit): boolean {
  const interactions = visit.filter(({ eventName, interactive }) => eventName === "pageview" || interactive === null);
  return interactions.length === 1 && interactions[0]?.eventName === "pageview";
}

interface Group {
  readonly date: string;
  readonly visits: Visit[];
  readonly bare: Visit[];
}

function groupsOf(visits: readonly Visit[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const visit of visits) {
    const [first] = visit;
    if (!first) continue;
    const { date, countryCode, browser } = first;
    const key = JSON.stringify([date, countryCode, browser]);
    const group = groups.get(key) ?? { date, visits: [], bare: [] };
    groups.set(key, group);
    group.visits.push(visit);
    if (isBare(visit)) group.bare.push(visit);
  }
  return [...groups.values()];
}

function inWaves(visits: readonly Visit[], { bareMin, barePercentMin, activeExpectedMin, timesFewer }: WaveRule): Visit[] {
  const groups = groupsOf(visits);
  const isSuspect = ({ bare, visits: all }: Group) => bare.length >= bareMin && 100 * bare.length >= barePercentMin * all.length;
  return groups.filter(isSuspect).flatMap(({ date, bare, visits: all }) => {
    const others = groups.filter((group) => group.date === date && !isSuspect(group));
    const visitsOfOthers = others.reduce((sum, group) => sum + group.visits.length, 0);
    const active = others.reduce((sum, group) => sum + group.visits.length - group.bare.length, 0);
    const expected = (all.length * active) / visitsOfOthers;
    return active >= activeExpectedMin && expected >= activeExpectedMin && timesFewer * (all.length - bare.length) <= expected ? bare : [];
  });
}

export const OUTBOUND = "Outbound Link: Click";

/** A rule of a site: dates of the first event (both included, `YYYY-MM-DD`), and what an event has to meet. */
export interface PlainRule<Condition> {
  readonly conditions: readonly Condition[];
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly sparesPeople: boolean;
}

/** True if a rule names the visit. `isMet` tells whether an event meets all conditions, `isReached` whether it meets a goal. */
export function isNamed<Condition>(
  visit: Visit,
  { conditions, firstDate, lastDate, sparesPeople }: PlainRule<Condition>,
  isMet: (conditions: readonly Condition[], event: StoredEvent) => boolean,
  isReached: (event: StoredEvent) => boolean,
): boolean {
  const [first] = visit;
  if (!first || first.date < (firstDate ?? "") || first.date > (lastDate ?? "9999")) return false;
  const hasProof = !isBare(visit) || visit.some((event) => event.eventName === OUTBOUND || isReached(event));
  return visit.some((event) => isMet(conditions, event)) && !(sparesPeople && hasProof);
}

/** The visits that `strict` leaves out. All visits of whole days must be given. */
export function leftOut(visits: readonly Visit[]): ReadonlySet<Visit> {
  const wanted = new Set(RULES.flatMap((rule) => ("codes" in rule ? rule.codes : [])));
  const hasCode = ({ evidence }: StoredEvent): boolean => evidence?.split(" ").some((code) => wanted.has(code)) ?? false;
  return new Set([
    ...visits.filter((visit) => visit.some(hasCode)),
    ...RULES.flatMap((rule) => ("bareMin" in rule ? inWaves(visits, rule) : [])),
  ]);
}
