/** Which of a week's new visitors come again in later weeks. */
import { Empty, FigureView } from "../components/states.tsx";
import { dayAfter } from "../state/range.ts";
import { go, param, scope, today } from "../state/view.ts";
import { useFigure } from "../state/use-report.ts";
import { shortDay } from "../format/dates.ts";
import { countText, shareText } from "../format/numbers.ts";

const WEEKS = ["4", "8", "12", "26"];

export function Retention() {
  const weeks = WEEKS.find((known) => known === param("weeks")) ?? "4";
  const figure = useFigure("retention", { ...scope.value, weeks });
  return (
    <>
      <label class="field">
        Weeks
        <select value={weeks} onChange={(event) => go({ weeks: event.currentTarget.value === "4" ? null : event.currentTarget.value })}>
          {WEEKS.map((known) => (
            <option key={known}>{known}</option>
          ))}
        </select>
      </label>
      <FigureView figure={figure} rows={5}>
        {({ cohorts, caveat }) => (
          <>
            {caveat !== null && caveat !== "" && <p class="notice">{caveat}</p>}
            {cohorts.length === 0 ? (
              <Empty />
            ) : (
              <div class="table-scroll" tabIndex={0} role="region" aria-label="Retention by week">
                <table class="retention">
                  <thead>
                    <tr>
                      <th scope="col">Week of</th>
                      <th scope="col">New visitors</th>
                      {Array.from({ length: Number(weeks) }, (_, week) => (
                        <th key={week} scope="col">
                          {week === 0 ? "Same" : `+${week}`}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {cohorts.map(({ cohort_date, cohort_size, retained, retention_rates }) => (
                      <tr key={cohort_date}>
                        <th scope="row">{shortDay(cohort_date)}</th>
                        <td>{countText(cohort_size)}</td>
                        {Array.from({ length: Number(weeks) }, (_, week) => {
                          // Of weeks to come nothing is known yet.
                          const rate = dayAfter(cohort_date, 7 * week) > today.value ? undefined : retention_rates[week];
                          return (
                            <td
                              key={week}
                              class="retention-cell"
                              data-strong={rate !== undefined && rate > 0.55}
                              style={{ "--rate": String(rate ?? 0) }}
                              title={rate === undefined ? undefined : `${countText(retained[week] ?? 0)} visitors`}
                            >
                              {rate === undefined ? "" : shareText(rate)}
                            </td>
                          );
                        })}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </>
        )}
      </FigureView>
    </>
  );
}
