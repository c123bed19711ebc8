/** The Goals card: the site's goals in their order, then all other custom events, and what changed in each; and the report of revenue. */
import { useState } from "preact/hooks";
import { TRACK_FUNCTION } from "../../src/shared/names.ts";
import { isNotableRate } from "../format/change.ts";
import { compactMoney, countOf, formatMoney, formatRate } from "../format/locale.ts";
import { Change, LinkButton } from "../kit/inline.tsx";
import { lazy } from "../kit/lazy.tsx";
import { Empty, ReportView, Skeleton } from "../kit/states.tsx";
import { TabbedCard } from "../kit/tabs.tsx";
import { tip } from "../kit/tips.ts";
import { shownCurrency, type Conversions, type Goal } from "../state/conversions.ts";
import { hasGoal } from "../state/filters.ts";
import { isCardShown } from "../state/known-sites.ts";
import type { Report } from "../state/requests.ts";
import { isGuest } from "../state/share.ts";
import { isCompared } from "../state/statistics.ts";
import { filters, hasConversionRates, isFiltered } from "../state/view-filters.ts";
import { openSettings } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";
import { countInRow, filteringRow, RowList, type Row } from "./rows.tsx";

const ROWS = 9;

const Revenue = lazy(async () => (await import("./revenue.tsx")).Revenue, { Loading: () => <Skeleton /> });

/** Undefined for goals whose revenue nobody asked for. */
const totalIn = ({ revenue }: Pick<Goal, "revenue">, currency: string | null): number | undefined =>
  revenue && currency !== null ? (revenue.find((row) => row.currency === currency)?.total ?? 0) : undefined;

const everybodyIn = ({ visitors, conversion_rate: rate }: Pick<Goal, "visitors" | "conversion_rate">): number =>
  rate === 0 ? 0 : visitors / rate;

/** Rates differ in points. Without a rate, the visitors are compared. */
function RateChange({ goal }: { readonly goal: Goal }) {
  const { comparison } = goal;
  if (!comparison) return null;
  const [now, before] = [goal.conversion_rate, comparison.conversion_rate];
  // A goal without visitors does not say of how many; those of the other side do.
  const [ofNow, ofBefore] = [everybodyIn(goal) || everybodyIn(comparison), everybodyIn(comparison) || everybodyIn(goal)];
  return <Change now={now} before={before} isRate isNotable={ofNow > 0 && isNotableRate(now, before, ofNow, ofBefore)} />;
}

function numbersText(goal: Goal): string {
  const { comparison, events, revenue } = goal;
  const [rate, before] = [formatRate(goal.conversion_rate), comparison && isCompared() ? formatRate(comparison.conversion_rate) : null];
  const share = before === null ? fill(words.goals.rateOf, { rate }) : fill(words.goals.rateBefore, { rate, before });
  return [
    countInRow(goal.visitors, countOf(goal.visitors, words.counts.visitor), comparison?.visitors).countTitle,
    countOf(events, words.counts.event),
    ...(hasConversionRates.value ? [share] : []),
    ...(revenue ?? []).map(({ total, currency }) => formatMoney(total, currency)),
  ].join("\n");
}

function rowOf(goal: Goal): Row {
  const currency = shownCurrency.value;
  const total = totalIn(goal, currency);
  return {
    key: goal.name,
    label: goal.name,
    ...countInRow(goal.visitors, "", goal.comparison?.visitors),
    countTitle: numbersText(goal),
    share: hasConversionRates.value ? goal.conversion_rate : null,
    shareText: formatRate(goal.conversion_rate),
    ...(hasConversionRates.value && { change: <RateChange goal={goal} /> }),
    ...(total !== undefined && currency !== null && { money: compactMoney(total, currency) }),
    ...filteringRow({ dimension: "goal", value: goal.name }, goal.name),
  };
}

const Heads = ({ hasMoney }: { readonly hasMoney: boolean }) => (
  <p class="column-heads">
    <span>{words.goals.goal}</span>
    <span>{words.goals.visitors}</span>
    {hasConversionRates.value && (
      <span class="row-share">
        <abbr {...tip(words.metrics.conversionRate)}>{words.goals.rate}</abbr>
      </span>
    )}
    {isCompared() && <span class="row-change">{words.goals.change}</span>}
    {hasMoney && <span class="row-money">{words.cards.revenue}</span>}
  </p>
);

function GoalList({ goals }: { readonly goals: readonly Goal[] }) {
  const [isWhole, setWhole] = useState(false);
  const rows = (isWhole ? goals : goals.slice(0, ROWS)).map(rowOf);
  const hasMoney = rows.some(({ money }) => money !== undefined);
  const hidden = goals.length > ROWS;
  return (
    <>
      <Heads hasMoney={hasMoney} />
      <RowList
        label={words.cards.goals}
        rows={hasMoney ? rows.map((row) => ({ ...row, money: row.money ?? "" })) : rows}
        hasShares={hasConversionRates.value}
      />
      {hidden && (
        <LinkButton onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.goals.showFewer : countOf(goals.length, words.goals.showAll)}
        </LinkButton>
      )}
    </>
  );
}

const NoGoals = () =>
  isFiltered.value ? <Empty /> : <Empty>{rich(words.goals.noGoals, { code: <code>{`${TRACK_FUNCTION}("Signup")`}</code> })}</Empty>;

/** Conversion rates are shares of all visitors, so a filter on a goal selects rows instead of narrowing the report. */
function Goals({ report }: { readonly report: Report<readonly Goal[]> }) {
  const shown = report.data?.filter(({ name }) => hasGoal(filters.value, name));
  return (
    <ReportView report={{ ...report, data: shown }}>
      {(goals) => (
        <>
          {goals.length === 0 ? <NoGoals /> : <GoalList goals={goals} />}
          <footer class="card-foot">{!isGuest && <LinkButton onClick={() => openSettings("goals")}>{words.goals.edit}</LinkButton>}</footer>
        </>
      )}
    </ReportView>
  );
}

/** The settings can hide each tab, like a card. */
export function GoalsCard({ goals, revenue }: Conversions) {
  const tabs = [
    { id: "goals", label: words.cards.goals },
    { id: "revenue", label: words.cards.revenue },
  ] as const;
  const shown = tabs.filter(({ id }) => isCardShown(id));
  if (shown.length === 0) return null;
  return (
    <TabbedCard title={words.cards.goals} param="did" tabs={shown}>
      {(tab) => (tab === "revenue" ? <Revenue report={revenue} /> : <Goals report={goals} />)}
    </TabbedCard>
  );
}
