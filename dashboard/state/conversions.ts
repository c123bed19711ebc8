/** Goals and revenue of the view, with what they were in the compared window: their card and two metrics above the chart derive from them. */
import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Reports } from "../api/types.ts";
import { countsConversions, parseFilters, printFilters } from "./filters.ts";
import { isCardShown } from "./known-sites.ts";
import { useReport, type Report } from "./requests.ts";
import { comparisonParameters, everybodyScope, scope } from "./scope.ts";
import { param } from "./url.ts";
import { filterKind, hasConversionRates, ownFilters } from "./view-filters.ts";
import { site } from "./view.ts";

type Numbers = Omit<Reports["goals"][number], "name" | "comparison"> & { readonly revenue?: Reports["conversions"][number]["revenue"] };

export type Goal = Numbers & { readonly name: string; readonly comparison?: Numbers };

type MainReport = Reports["main"];

/** The main report, and that of the visits that reach any goal, both of one view. */
interface Rated {
  readonly main: MainReport;
  readonly converted: MainReport;
}

export interface Conversions {
  readonly goals: Report<readonly Goal[]>;
  readonly revenue: Report<Reports["revenue"]>;
  /** null until known, and under filters that have a conversion rate of their own. */
  readonly rated: Rated | null;
  /** It is of an earlier view. */
  readonly isRateStale: boolean;
}

interface Known {
  readonly siteId: string | null;
  readonly hasGoals: boolean;
  readonly currencies: readonly string[];
}

const NOTHING = { hasGoals: false, currencies: [] };

/** What the site has shown so far, so that metrics do not come and go with periods and filters. */
const known = signal<Known>({ siteId: null, ...NOTHING });

const knownHere = computed(() => (known.value.siteId === site.value ? known.value : NOTHING));

/** True if a conversion rate stands beside the metrics of visitors above the chart. */
export const hasGoals = computed(() => knownHere.value.hasGoals && hasConversionRates.value && isCardShown("goals"));

/** The currency with most payments, or the chosen one; null without revenue. */
export const shownCurrency = computed((): string | null => {
  const { currencies } = knownHere.value;
  if (!isCardShown("revenue")) return null;
  return currencies.find((currency) => currency === param("currency")) ?? currencies[0] ?? null;
});

/** Charts have no series for amounts without a currency. */
const isCurrency = (code: string): boolean => /^[A-Z]{3}$/.test(code);

const currenciesOf = ({ by_currency: rows }: Reports["revenue"]): readonly string[] =>
  rows
    .filter(({ currency }) => isCurrency(currency))
    .toSorted((a, b) => b.transactions - a.transactions)
    .map(({ currency }) => currency);

/** The filter that visits with any goal pass. */
const ANY_GOAL = parseFilters("goal!=(unknown)");

/** Filters of the visits that reach a goal, if the reader has filtered by none. */
export const convertedFilters = (): string | null => printFilters([...ownFilters.value, ...ANY_GOAL]);

const compared = () => ({ ...comparisonParameters.value, ...("compare" in comparisonParameters.value && { include: "comparison" }) });

/** An event with the name of a goal is that goal. Events that were frequent before keep their place if they are not any more. */
function useGoals(): Report<readonly Goal[]> {
  const parameters = isCardShown("goals") ? { ...everybodyScope.value, ...compared() } : null;
  const defined = useReport("conversions", parameters);
  const events = useReport("goals", parameters);
  const most = ({ visitors, comparison }: Goal) => Math.max(visitors, comparison?.visitors ?? 0);
  const others = events.data?.filter(({ name }) => !defined.data?.some((goal) => goal.name === name)).toSorted((a, b) => most(b) - most(a));
  const failed = defined.error ? defined : events;
  return {
    ...failed,
    data: defined.data && others && [...defined.data, ...others],
    leftOut: [...defined.leftOut, ...events.leftOut],
    isStale: defined.isStale || events.isStale,
  };
}

function useKnown(goals: readonly Goal[] | undefined, revenue: Reports["revenue"] | undefined): void {
  const siteId = site.value;
  useEffect(() => {
    const before = known.value.siteId === siteId ? known.value : NOTHING;
    const currencies = revenue ? currenciesOf(revenue) : [];
    known.value = {
      siteId,
      hasGoals: before.hasGoals || (goals?.length ?? 0) > 0,
      currencies: [...currencies, ...before.currencies.filter((currency) => !currencies.includes(currency))],
    };
  }, [siteId, goals, revenue]);
}

/** `main` is the report of the view. */
export function useConversions(main: Report<MainReport>): Conversions {
  const goals = useGoals();
  const revenue = useReport("revenue", isCardShown("revenue") ? { ...scope.value, ...compared() } : null);
  useKnown(goals.isStale ? undefined : goals.data, revenue.isStale ? undefined : revenue.data);
  const hasRate = hasGoals.value && !countsConversions(filterKind.value);
  const converted = useReport("main", hasRate ? { ...scope.value, filters: convertedFilters(), ...comparisonParameters.value } : null);
  const rated = useRef<Rated | null>(null);
  if (!hasRate) rated.current = null;
  else if (main.data && converted.data && !main.isStale && !converted.isStale)
    rated.current = { main: main.data, converted: converted.data };
  return { goals, revenue, rated: rated.current, isRateStale: rated.current !== null && rated.current.main !== main.data };
}
