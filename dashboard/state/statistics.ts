/** The main report of the view: stats, chart, and the shares and changes of all rows derive from it. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Installation, Reports } from "../api/types.ts";
import { useConversions, type Conversions } from "./conversions.ts";
import { countsConversions } from "./filters.ts";
import { comparedRange } from "./period.ts";
import { isLoading, useReport, type Report } from "./requests.ts";
import { comparisonParameters, everybodyScope, scope } from "./scope.ts";
import { filterKind, hasConversionRates, noteSavedFilterProblem } from "./view-filters.ts";

export type MainReport = Reports["main"];

export interface Statistics {
  readonly main: Report<MainReport>;
  /** `main` without filters on events and goals. It has no data unless a conversion rate is shown. */
  readonly everybody: Report<MainReport>;
  readonly conversions: Conversions;
}

type Rated = Pick<Statistics, "main" | "everybody">;

interface Loaded {
  readonly main?: MainReport | undefined;
  readonly everybody?: MainReport | undefined;
  /** The date of the site's first stored event: null if the service cannot tell, undefined until it has answered. */
  readonly firstEventDate?: string | null | undefined;
}

const loaded = signal<Loaded>({});

/** Base of the shares in cards; null until loaded. */
export const totalVisitors = (): number | null => loaded.value.main?.unique_visitors ?? null;

/** False if the window begins before the first event: it would have fewer events than a comparable period. */
export function isWindowWhole(): boolean {
  const [{ firstEventDate: first }, compared] = [loaded.value, comparedRange.value];
  return compared !== null && first !== undefined && (first === null || first <= compared.start);
}

/** False until it is known whether the compared window is whole. */
export const isComparisonKnown = (): boolean => loaded.value.main !== undefined && loaded.value.firstEventDate !== undefined;

/** Rows show no changes against a window without events, where all would be new. */
export function isCompared(): boolean {
  // Filters on goals do not count here: a goal that nobody reached is still compared if there were visitors.
  const { main, everybody } = loaded.value;
  return isWindowWhole() && (everybody ?? main)?.comparison?.total_events !== 0;
}

/** A rate needs two reports of the same view: both keep their data until both have loaded. */
function useRated({ main, everybody }: Rated, hasRate: boolean): Rated {
  const shown = useRef<{ readonly main: MainReport; readonly everybody: MainReport } | null>(null);
  if (!hasRate) shown.current = null;
  else if (main.data && everybody.data && !main.isStale && !everybody.isStale)
    shown.current = { main: main.data, everybody: everybody.data };
  if (!hasRate) return { main, everybody: { ...everybody, data: undefined } };
  return { main: { ...main, data: shown.current?.main }, everybody: { ...everybody, data: shown.current?.everybody } };
}

/** Fetches the report for the one component that always shows it. `installation` is undefined for guests, who may not read it. */
export function useStatistics(installation: Report<Installation> | undefined): Statistics {
  const compared = comparisonParameters.value;
  const hasRate = countsConversions(filterKind.value) && hasConversionRates.value;
  const report = useReport("main", { ...scope.value, ...compared });
  const everybodyReport = useReport("main", hasRate ? { ...everybodyScope.value, ...compared } : null);
  const { main, everybody } = useRated({ main: report, everybody: everybodyReport }, hasRate);
  const conversions = useConversions(main);
  const isAnswered = !installation || (!installation.isStale && !isLoading(installation));
  const firstEventDate = isAnswered ? (installation?.data?.first_event_date ?? null) : undefined;
  useEffect(() => noteSavedFilterProblem(report.error), [report.error]);
  useEffect(() => {
    loaded.value = { main: main.data, everybody: everybody.data, firstEventDate };
  }, [main.data, everybody.data, firstEventDate]);
  return { main, everybody, conversions };
}
