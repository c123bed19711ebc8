/** What a rule would leave out of the period of the page: in words, as a curve before and after, and by month. */
import { useMemo, useState } from "preact/hooks";
import { fetchRulePreview, previewRequest } from "../api/rules.ts";
import type { PreviewedRule, RulePreview as Preview } from "../api/types.ts";
import { LineChart, type Cursor } from "../charts/line-chart.tsx";
import { pointsOf, type ChartPoint } from "../charts/points.ts";
import { RANGE_DAYS_MAX } from "../../src/shared/limits.ts";
import { formatValue } from "../format/dimensions.ts";
import { countOf, formatCount, formatMonthAndYear, formatRange, formatShare } from "../format/locale.ts";
import { ReportView } from "../kit/states.tsx";
import { timeZone } from "../state/known-sites.ts";
import { daysBetween } from "../state/range.ts";
import { useRequest } from "../state/requests.ts";
import { datesScope } from "../state/scope.ts";
import { localTime } from "../state/time-zone.ts";
import { fill, words } from "../words/words.ts";

/** Most of the visits come from one country if it has at least this share. */
const MOSTLY = 0.5;

const mostIn = <Row extends { readonly left_out: number }>(rows: readonly Row[]): Row | undefined =>
  rows.toSorted((a, b) => b.left_out - a.left_out)[0];

function countryText({ left_out: leftOut, countries }: Preview): string {
  const most = mostIn(countries);
  if (most === undefined || most.left_out < MOSTLY * leftOut) return words.rules.manyCountries;
  return fill(words.rules.mostly, { country: formatValue("countries", most.country, []) });
}

/** `Would leave out 312 visits since 3 May 2026: 4% of March 2026, mostly Singapore; none with a conversion.` */
function summaryOf(preview: Preview): string {
  const { left_out: leftOut, left_out_with_proof: withProof, left_out_converted: converted, first_date: first, months } = preview;
  const month = mostIn(months);
  if (leftOut === 0 || first === null || month === undefined) return words.rules.nothing;
  const summary = fill(words.rules.wouldLeaveOut, {
    visits: countOf(leftOut, words.counts.visit),
    date: formatRange(first, first),
    share: formatShare(month.left_out / month.visits),
    month: formatMonthAndYear(month.month),
    country: countryText(preview),
    conversions: converted === 0 ? words.rules.noneConverted : countOf(converted, words.rules.converted),
  });
  return `${summary} ${withProof === 0 ? words.rules.noneWithProof : countOf(withProof, words.rules.withProof)}`;
}

/** The curve after the rule, over that before it. */
function Curves({ preview: { series, start_date: start, end_date: end } }: { readonly preview: Preview }) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const points = useMemo((): readonly ChartPoint[] => {
    const days = { start, end, days: daysBetween(start, end) };
    const rowsOf = (field: "before" | "after") => ({
      rows: series.map(({ date, [field]: sessions }) => ({ date, sessions })),
      range: days,
    });
    const clock = { time: localTime(timeZone.value, Date.now()), timeZone: timeZone.value };
    return pointsOf(rowsOf("after"), rowsOf("before"), "sessions", days.days > RANGE_DAYS_MAX ? "month" : "day", clock);
  }, [series]);
  const textOf = (index: number): string => {
    const { title, value, before } = points[index] ?? { title: "", value: null, before: null };
    return fill(words.rules.onDay, { day: title, after: formatCount(value ?? 0), before: formatCount(before?.value ?? 0) });
  };
  return (
    <figure class="rule-curves" aria-label={words.rules.curves}>
      <LineChart
        heightPx={160}
        points={points}
        format={formatCount}
        label={words.rules.curves}
        cursor={cursor}
        textOf={textOf}
        onCursor={setCursor}
        onChoose={null}
        onMark={null}
        part={null}
        onPart={() => {}}
        onChoosePart={null}
        onDrawn={() => {}}
      />
      <figcaption class="legend">
        {cursor === null ? (
          <>
            <i class="swatch before" /> {words.rules.before}
            <i class="swatch now" /> {words.rules.after}
          </>
        ) : (
          textOf(cursor.index)
        )}
      </figcaption>
    </figure>
  );
}

const Months = ({ months }: { readonly months: Preview["months"] }) => (
  <div class="table-scroll" tabIndex={0} role="region" aria-label={words.rules.byMonth}>
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{words.rules.month}</th>
          <th scope="col">{words.metrics.visits}</th>
          <th scope="col">{words.rules.leftOut}</th>
          <th scope="col">{words.rules.share}</th>
        </tr>
      </thead>
      <tbody>
        {months.map(({ month, visits, left_out: leftOut }) => (
          <tr key={month}>
            <th scope="row">{formatMonthAndYear(month)}</th>
            <td>{formatCount(visits)}</td>
            <td>{formatCount(leftOut)}</td>
            <td>{visits === 0 ? "–" : formatShare(leftOut / visits)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

export function RulePreview({ of }: { readonly of: PreviewedRule }) {
  const report = useRequest<Preview>(previewRequest(datesScope.value, of), fetchRulePreview);
  return (
    <section class="rule-preview" aria-label={words.rules.preview}>
      <ReportView report={report} rows={3}>
        {(preview) => (
          <>
            <p class="dim">{fill(words.rules.period, { dates: formatRange(preview.start_date, preview.end_date) })}</p>
            <p role="status">{summaryOf(preview)}</p>
            {preview.left_out > 0 && (
              <>
                {preview.series.length > 1 && <Curves preview={preview} />}
                <Months months={preview.months} />
              </>
            )}
          </>
        )}
      </ReportView>
    </section>
  );
}
