/** The goals report: the site's goals in their order, then all other custom events, with conversion rates. */
import { TRACK_FUNCTION } from "../../src/shared/names.ts";
import type { Reports } from "../api/types.ts";
import { filteringRow, RowList } from "../cards/rows.tsx";
import { countOf, formatCount, formatMoney, formatRate } from "../format/locale.ts";
import { LinkButton } from "../kit/inline.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { hasGoal } from "../state/filters.ts";
import { useReport, type Report } from "../state/requests.ts";
import { everybodyScope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { navigate } from "../state/url.ts";
import { filters, hasConversionRates, isFiltered } from "../state/view-filters.ts";
import { openSettings } from "../state/view.ts";
import { rich, words } from "../words/words.ts";

type Goal = Reports["goals"][number] & { readonly revenue?: Reports["conversions"][number]["revenue"] };

/** An event with the name of a goal is that goal. */
function useGoals(): Report<readonly Goal[]> {
  const defined = useReport("conversions", everybodyScope.value);
  const events = useReport("goals", everybodyScope.value);
  const data = defined.data &&
    events.data && [...defined.data, ...events.data.filter(({ name }) => !defined.data?.some((goal) => goal.name === name))];
  const failed = defined.error ? defined : events;
  return { ...failed, data, isStale: defined.isStale || events.isStale };
}

const revenueText = ({ revenue }: Goal): string =>
  (revenue ?? []).map(({ total, currency }) => `, ${formatMoney(total, currency)}`).join("");

/** Conversion rates are shares of all visitors, so a filter on a goal selects rows instead of narrowing the report. */
export function Goals() {
  const report = useGoals();
  const shown = report.data?.filter(({ name }) => hasGoal(filters.value, name));
  return (
    <ReportView report={{ ...report, data: shown }}>
      {(goals) => (
        <>
          {goals.length === 0 && isFiltered.value && <Empty />}
          {goals.length === 0 && !isFiltered.value && (
            <Empty>{rich(words.goals.none, { code: <code>{TRACK_FUNCTION}("Signup")</code> })}</Empty>
          )}
          {goals.length > 0 && (
            <>
              <p class="column-heads">
                <span>{words.goals.goal}</span>
                <span>
                  {hasConversionRates.value && (
                    <>
                      <abbr title={words.metrics.conversionRate}>{words.goals.rateShort}</abbr> ·{" "}
                    </>
                  )}
                  {words.goals.visitors}
                </span>
              </p>
              <RowList
                label={words.goals.list}
                rows={goals.map((goal) => ({
                  key: goal.name,
                  label: goal.name,
                  count: goal.visitors,
                  share: null,
                  countTitle: `${countOf(goal.visitors, words.counts.visitor)}, ${countOf(goal.events, words.counts.event)}${revenueText(goal)}`,
                  text: hasConversionRates.value
                    ? `${formatRate(goal.conversion_rate)}  ·  ${formatCount(goal.visitors)}`
                    : formatCount(goal.visitors),
                  ...filteringRow({ dimension: "goal", value: goal.name }, goal.name),
                }))}
              />
            </>
          )}
          <footer class="card-foot">
            {goals.length > 0 && <LinkButton onClick={() => navigate({ did: "properties" })}>{words.goals.viewProperties}</LinkButton>}
            {!isGuest && <LinkButton onClick={() => openSettings("goals")}>{words.goals.edit}</LinkButton>}
          </footer>
        </>
      )}
    </ReportView>
  );
}
