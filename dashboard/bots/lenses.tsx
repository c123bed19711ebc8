/** The figures of the period by each lens, side by side, and the choice of the one by which all reports count. */
import { formatCount } from "../format/locale.ts";
import { INLINE, LinkButton } from "../kit/inline.tsx";
import { isLoading, type Report, useReport } from "../state/requests.ts";
import { datesScope } from "../state/scope.ts";
import { LENSES, type Lens, lens, setLens } from "../state/lens.ts";
import type { Reports } from "../api/types.ts";
import { rich, words } from "../words/words.ts";

type Figures = Reports["main"];

const ROWS = [
  [words.metrics.visitors, ({ unique_visitors }: Figures) => unique_visitors],
  [words.metrics.visits, ({ total_sessions }: Figures) => total_sessions],
  [words.metrics.pageviews, ({ total_pageviews }: Figures) => total_pageviews],
] as const;

function Choice({ of }: { readonly of: Lens }) {
  if (of === lens.value) return <strong>{words.bots.lensInUse}</strong>;
  return (
    <LinkButton onClick={() => setLens(of)}>
      {words.bots.lensUse}
      <span class="unseen"> {words.bots.lensNames[of]}</span>
    </LinkButton>
  );
}

const cellOf = (report: Report<Figures>, figure: (figures: Figures) => number | null): string => {
  const value = report.data && figure(report.data);
  if (value == null) return isLoading(report) ? "…" : "–";
  return formatCount(value);
};

export function Lenses() {
  const reports = {
    strict: useReport("main", { ...datesScope.value, lens: "strict" }),
    default: useReport("main", datesScope.value),
    everything: useReport("main", { ...datesScope.value, lens: "everything" }),
  };
  return (
    <section class="panel tables lenses">
      <h2 id="lenses-title">{words.bots.lenses}</h2>
      <p class="dim">{words.bots.lensesAbout}</p>
      <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="lenses-title">
        <table class="table">
          <thead>
            <tr>
              <td />
              {LENSES.map((of) => (
                <th key={of} scope="col" aria-current={of === lens.value ? "true" : undefined}>
                  {words.bots.lensNames[of]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([label, figure]) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {LENSES.map((of) => (
                  <td key={of}>{cellOf(reports[of], figure)}</td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">{words.bots.lensChoice}</th>
              {LENSES.map((of) => (
                <td key={of}>
                  <Choice of={of} />
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <ul class="dim">
        {LENSES.map((of) => (
          <li key={of}>{rich(words.bots.lensTexts[of], { ...INLINE, lens: words.bots.lensNames[of] })}</li>
        ))}
      </ul>
    </section>
  );
}
