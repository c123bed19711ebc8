/** The measures of rollups: what the reports declare, over all events of a site, and the values of each custom property. */
import { RolledMeasures } from "../duckdb/rollups/rolled-measures.ts";
import { rangeOfDays } from "../query/date-range.ts";
import type { Scope } from "../query/scope.ts";
import { utcDateOf, type SiteId } from "../../storage/event.ts";
import { countsByPropertyValue } from "./property-values.ts";
import { REPORTS } from "./registry.ts";

const MINUTE_MS = 60_000;

/** Neither the site nor the range is part of a measure. */
const ANY_SCOPE: Scope = { siteId: "any" as SiteId, range: rangeOfDays(utcDateOf(0), utcDateOf(0)), conditions: [] };

export interface RolledMeasuresSettings {
  readonly sessionWindowMinutes: number;
  readonly saltRotationDays: number;
  /** Whether the behavioral extension is to be loaded. Without it there are no measures of sessions. */
  readonly hasExtension: boolean;
  readonly hash: (text: string) => string;
}

export function rolledMeasures(settings: RolledMeasuresSettings): RolledMeasures {
  const { sessionWindowMinutes, hasExtension } = settings;
  const declared = REPORTS.map(({ rolled }) => rolled(ANY_SCOPE, { sessionGapMs: sessionWindowMinutes * MINUTE_MS, hasExtension }));
  return new RolledMeasures({
    ...settings,
    measures: declared.flatMap((ofReport) => Object.entries(ofReport).map(([name, query]) => ({ name, query }))),
    ofProperty: (key) => countsByPropertyValue(ANY_SCOPE, key, null),
  });
}
