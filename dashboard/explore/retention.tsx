/**
 * The retention report: how many of a week's new visitors return in later weeks; and, if visitor IDs are too short-lived for it, the option
 * that extends them (docs/reports.md, "Retention").
 */
import { ENVIRONMENT_PREFIX } from "../../src/shared/names.ts";
import { dayAfter } from "../../src/shared/periods.ts";
import type { Reports } from "../api/types.ts";
import { countOf, formatCount, formatShare, formatShortDay } from "../format/locale.ts";
import { CopyButton } from "../kit/forms.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { tip } from "../kit/tips.ts";
import { today } from "../state/period.ts";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { navigate, param } from "../state/url.ts";
import { fill, rich, words } from "../words/words.ts";

const OPTION = "visitor_salt_rotation_days";

function HowToEnable({ weeks }: { readonly weeks: number }) {
  const days = 7 * weeks;
  const { explore } = words;
  const variable = `${ENVIRONMENT_PREFIX}${OPTION.toUpperCase()}=${days}`;
  return (
    <details class="how-to">
      <summary>{explore.howToEnable}</summary>
      <p>{rich(explore.howToFollow, { weeks, option: <code>{OPTION}</code>, days })}</p>
      <p class="how-to-line">
        <code>{variable}</code> <CopyButton text={variable} label={explore.copy} />
      </p>
      <p>{fill(explore.weakerPrivacy, { days })}</p>
    </details>
  );
}

const WEEKS = ["4", "8", "12", "26"] as const;
const WEEKS_DEFAULT = "4";

/** Cells from this rate on have a dark background and light text. */
const STRONG_RATE = 0.55;

type Cohort = Reports["retention"]["cohorts"][number];

function RetentionTable({ cohorts, weeks }: { readonly cohorts: readonly Cohort[]; readonly weeks: number }) {
  const columns = Array.from({ length: weeks }, (_, week) => week);
  const cell = ({ cohort_date, retention_rates, retained }: Cohort, week: number) => {
    const isFuture = dayAfter(cohort_date, 7 * week) > today.value;
    const rate = isFuture ? undefined : retention_rates[week];
    return (
      <td
        key={week}
        class="retention-cell"
        data-strong={rate !== undefined && rate > STRONG_RATE}
        style={{ "--rate": String(rate ?? 0) }}
        {...tip(rate === undefined ? undefined : countOf(retained[week] ?? 0, words.counts.visitor))}
      >
        {rate === undefined ? "" : formatShare(rate)}
      </td>
    );
  };
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={words.explore.retentionByWeek}>
      <table class="retention">
        <thead>
          <tr>
            <th scope="col">{words.explore.cohort}</th>
            <th scope="col">{words.explore.newVisitors}</th>
            {columns.map((week) => (
              <th key={week} scope="col">
                {fill(words.explore.week, { week })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map((cohort) => (
            <tr key={cohort.cohort_date}>
              <th scope="row">{formatShortDay(cohort.cohort_date)}</th>
              <td>{formatCount(cohort.cohort_size)}</td>
              {columns.map((week) => cell(cohort, week))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Nobody returned, because no visitor ID lasts into a later week. */
const hasOnlyZeros = ({ identity_supports_cohorts, cohorts }: Reports["retention"]): boolean =>
  !identity_supports_cohorts && cohorts.every(({ retained }) => retained.slice(1).every((visitors) => visitors === 0));

const WeeksField = ({ weeks }: { readonly weeks: string }) => (
  <label class="field">
    {words.explore.weeks}
    <select
      value={weeks}
      onChange={(event) => navigate({ weeks: event.currentTarget.value === WEEKS_DEFAULT ? null : event.currentTarget.value })}
    >
      {WEEKS.map((known) => (
        <option key={known}>{known}</option>
      ))}
    </select>
  </label>
);

export function Retention() {
  const weeks = WEEKS.find((known) => known === param("weeks")) ?? WEEKS_DEFAULT;
  const report = useReport("retention", { ...scope.value, weeks });
  return (
    <ReportView report={report} rows={5}>
      {(retention) => {
        const { cohorts, identity_supports_cohorts } = retention;
        const howTo = <HowToEnable weeks={Number(weeks)} />;
        if (cohorts.length === 0) return <Empty />;
        // In place of a table of zeros.
        if (hasOnlyZeros(retention))
          return (
            <div class="explanation">
              <h3>{words.explore.needsLongerIds}</h3>
              <p>{words.explore.idsAreReplaced}</p>
              {howTo}
            </div>
          );
        return (
          <>
            <WeeksField weeks={weeks} />
            {!identity_supports_cohorts && (
              <div class="notice">
                <p>{fill(words.explore.idsAreShort, { weeks })}</p>
                {howTo}
              </div>
            )}
            <RetentionTable cohorts={cohorts} weeks={Number(weeks)} />
          </>
        );
      }}
    </ReportView>
  );
}
