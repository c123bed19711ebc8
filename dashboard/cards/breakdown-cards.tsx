/** Cards of breakdowns: a tab per dimension, its top values, and a link to all of them. */
import type { Dimension, Reports } from "../api/types.ts";
import { ChangesCard } from "../changes/changes-card.tsx";
import type { Changes } from "../changes/changes.ts";
import { Footnote } from "../filters/footnote.tsx";
import {
  DIMENSIONS,
  dimensionsOf,
  eventDimensionOf,
  filterDimensionOf,
  isAnswer,
  isDimension,
  tabLabelOf,
  type DimensionCard,
} from "../format/dimensions.ts";
import { countOf, formatRate } from "../format/locale.ts";
import { INLINE, LinkButton } from "../kit/inline.tsx";
import { lazy } from "../kit/lazy.tsx";
import { Empty, MapPlaceholder, ReportView, Skeleton } from "../kit/states.tsx";
import { TabbedCard, type Tab } from "../kit/tabs.tsx";
import { tip } from "../kit/tips.ts";
import type { Conversions } from "../state/conversions.ts";
import { countsConversions, onlyValueOf } from "../state/filters.ts";
import { isCardShown } from "../state/known-sites.ts";
import { useBreakdown, type Report } from "../state/requests.ts";
import { everybodyScope, scope } from "../state/scope.ts";
import { isCompared, totalVisitors } from "../state/statistics.ts";
import { filteredGoal, filterKind, filters, visitorWords } from "../state/view-filters.ts";
import { openPanel } from "../state/view.ts";
import { rich, words } from "../words/words.ts";
import { GoalsCard } from "./goals-card.tsx";
import { linkOf } from "./row-links.tsx";
import { countInRow, filterRow, RowList, withComparison, type Row, type RowNumbers } from "./rows.tsx";

const ROWS = 9;

/** Visitors without a value are mostly among so many values. */
const ROWS_WITH_UNKNOWN = 100;

const CountryMap = lazy(async () => (await import("../map/country-map.tsx")).CountryMap, { Loading: MapPlaceholder });

/** `param` is the URL parameter of the chosen tab. */
const CARDS: Readonly<Record<DimensionCard, { readonly title: string; readonly param: string }>> = {
  sources: { title: words.cards.sources, param: "from" },
  pages: { title: words.cards.pages, param: "pages" },
  locations: { title: words.cards.locations, param: "places" },
  devices: { title: words.cards.devices, param: "devices" },
};

/** The one tab that is not a list. */
const MAP_TAB: Tab = { id: "map", label: words.cards.map };

const tabsOf = (card: DimensionCard): Tab[] => [
  ...(card === "locations" ? [MAP_TAB] : []),
  ...dimensionsOf(card).map((dimension) => ({
    id: dimension,
    label: tabLabelOf(dimension),
    formerId: eventDimensionOf(dimension),
    menu: DIMENSIONS[dimension].menu,
  })),
];

type Value = Reports["breakdown"][number];

/** Entry and exit pages count visits, which are no share of visitors. */
const hasShares = (dimension: Dimension): boolean => filteredGoal.value !== null || filterDimensionOf(dimension) === dimension;

const countedIn = ({ visitors, conversions }: Value): string =>
  conversions === undefined ? countOf(visitors, visitorWords.value) : countOf(conversions, words.counts.conversion);

function numbersOf(dimension: Dimension, row: Value): RowNumbers {
  const { visitors, conversions, conversion_rate: rate = 0, comparison } = row;
  if (conversions !== undefined)
    return { ...countInRow(conversions, countedIn(row), comparison?.conversions), share: rate, shareText: formatRate(rate) };
  const total = hasShares(dimension) ? totalVisitors() : null;
  const share = total !== null && total > 0 ? Math.min(visitors / total, 1) : null;
  return { ...countInRow(visitors, countedIn(row), comparison?.visitors), share };
}

const rowsOf = (dimension: Dimension, breakdown: readonly Value[]): Row[] =>
  breakdown.map((row) => ({
    ...filterRow(dimension, row.value),
    ...numbersOf(dimension, row),
    ...linkOf(dimension, row.value),
  }));

/** The top values. Under a filter on a goal: the values that lead to it, each with its conversion rate. */
function useTopValues(dimension: Dimension): Report<Reports["breakdown"]> {
  const goal = filteredGoal.value;
  const ofGoal = { ...everybodyScope.value, goal, sort: "conversions:desc" };
  const columns = goal === null ? [] : ["conversions", "conversion_rate"];
  const limit = DIMENSIONS[dimension].without === undefined ? ROWS : ROWS_WITH_UNKNOWN;
  const report = useBreakdown(dimension, { ...(goal === null ? scope.value : ofGoal), ...withComparison(columns), limit });
  return { ...report, data: report.data?.filter(({ conversions }) => conversions !== 0) };
}

/** A tab that is filtered by one browser shows its versions. */
function drilledDown(dimension: Dimension): Dimension {
  const { drillDown } = DIMENSIONS[dimension];
  const isChosen = filters.value.some((filter) => filter.dimension === dimension && onlyValueOf(filter) !== undefined);
  return drillDown !== undefined && isChosen ? drillDown : dimension;
}

function BreakdownList({ dimension }: { readonly dimension: Dimension }) {
  const report = useTopValues(dimension);
  const { plural } = DIMENSIONS[dimension];
  return (
    <ReportView report={report}>
      {(breakdown) => {
        const answers = breakdown.filter(({ value }) => isAnswer(dimension, value)).slice(0, ROWS);
        const without = breakdown.find(({ value }) => !isAnswer(dimension, value));
        return (
          <>
            {breakdown.length === 0 && <Empty />}
            {breakdown.length > 0 && answers.length === 0 && <Empty>{words.kit.nothingRecorded}</Empty>}
            {answers.length > 0 && <RowList label={plural} rows={rowsOf(dimension, answers)} hasShares={hasShares(dimension)} />}
            <footer class="card-foot">
              {breakdown.length > 0 && (
                <LinkButton onClick={() => openPanel(dimension)}>{rich(words.cards.details, { ...INLINE, values: plural })}</LinkButton>
              )}
              {without && <Footnote dimension={dimension} counted={countedIn(without)} />}
            </footer>
          </>
        );
      }}
    </ReportView>
  );
}

function DimensionTab({ dimension, isNear }: { readonly dimension: Dimension; readonly isNear: boolean }) {
  const shown = drilledDown(dimension);
  return (
    <>
      <p class="column-heads">
        <span>{DIMENSIONS[shown].singular}</span>
        <span>{countsConversions(filterKind.value) ? words.columns.conversions : words.columns.visitors}</span>
        {hasShares(shown) && (
          <span class="row-share">
            {filteredGoal.value === null ? words.columns.share : <abbr {...tip(words.columns.conversionRate)}>{words.columns.rate}</abbr>}
          </span>
        )}
        {isCompared() && <span class="row-change">{words.columns.change}</span>}
      </p>
      {isNear ? <BreakdownList key={shown} dimension={shown} /> : <Skeleton />}
    </>
  );
}

const BreakdownCard = ({ card }: { readonly card: DimensionCard }) => (
  <TabbedCard {...CARDS[card]} tabs={tabsOf(card)}>
    {(tab, isNear) => (isDimension(tab) ? <DimensionTab dimension={tab} isNear={isNear} /> : isNear ? <CountryMap /> : <MapPlaceholder />)}
  </TabbedCard>
);

/** Goals stand beside pages. */
const BEFORE_GOALS: readonly DimensionCard[] = ["sources", "pages"];

interface CardsProps {
  readonly changes: Report<Changes>;
  readonly hasEvents: boolean;
  readonly conversions: Conversions;
}

export function Cards({ changes, hasEvents, conversions }: CardsProps) {
  const shown = (Object.keys(CARDS) as DimensionCard[]).filter(isCardShown);
  const card = (name: DimensionCard) => <BreakdownCard key={name} card={name} />;
  return (
    <div class="cards">
      <ChangesCard report={changes} hasEvents={hasEvents} />
      {shown.filter((name) => BEFORE_GOALS.includes(name)).map(card)}
      <GoalsCard {...conversions} />
      {shown.filter((name) => !BEFORE_GOALS.includes(name)).map(card)}
    </div>
  );
}
