/** How many visitors take one step after the other, and where the others stop. */
import { Empty, FigureView } from "../components/states.tsx";
import { go, param, scope } from "../state/view.ts";
import { useFigure } from "../state/use-report.ts";
import { countOf, countText, rateText } from "../format/numbers.ts";
import { StepBuilder, stepsInAddress, stepText } from "./steps.tsx";

const STEPS_MIN = 2;

const WINDOWS = ["30 minutes", "1 hour", "1 day", "7 days", "30 days"];
const WINDOW_DEFAULT = "1 day";

const MODES = [
  { id: "strict_order", label: "Nothing in between", title: "What is no step, or a later step too early, ends the search." },
  { id: "strict_deduplication", label: "No step twice", title: "A step other than the first that comes again ends the search." },
  { id: "strict_increase", label: "Each step later", title: "Steps must not be at the same instant." },
  { id: "strict_once", label: "One step an event", title: "An event counts as one step at most." },
];

function FunnelBars({ steps }: { readonly steps: readonly string[] }) {
  const figure = useFigure("funnel", {
    ...scope.value,
    steps: steps.join(","),
    window: param("window") ?? WINDOW_DEFAULT,
    modes: param("modes"),
  });
  return (
    <FigureView figure={figure} rows={steps.length}>
      {(rows) =>
        (rows[0]?.visitors ?? 0) === 0 ? (
          <Empty>Nobody took the first step</Empty>
        ) : (
          <ol class="funnel" aria-label="Funnel">
            {rows.map(({ step, name, visitors, conversion_rate, dropped_off }) => (
              <li key={step} class="funnel-step" data-step={step}>
                <div class="funnel-head">
                  <span class="funnel-name" title={stepText(name)}>
                    {step}. {stepText(steps[step - 1] ?? name)}
                  </span>
                  <strong>{rateText(conversion_rate)}</strong>
                </div>
                <div class="funnel-track" aria-hidden="true">
                  <span style={{ width: `${conversion_rate * 100}%` }} />
                </div>
                <p class="dim">
                  {countOf(visitors, "visitor")}
                  {dropped_off > 0 && <span class="worse">, {countText(dropped_off)} stopped before</span>}
                </p>
              </li>
            ))}
          </ol>
        )
      }
    </FigureView>
  );
}

export function Funnel() {
  const steps = stepsInAddress();
  const modes = (param("modes") ?? "").split(",").filter((mode) => mode !== "");
  const toggle = (mode: string) =>
    go({ modes: (modes.includes(mode) ? modes.filter((known) => known !== mode) : [...modes, mode]).join(",") });
  return (
    <div class="builder">
      <div class="builder-form">
        <StepBuilder />
        <label class="field">
          All within
          <select
            value={param("window") ?? WINDOW_DEFAULT}
            onChange={(event) => go({ window: event.currentTarget.value === WINDOW_DEFAULT ? null : event.currentTarget.value })}
          >
            {WINDOWS.map((window) => (
              <option key={window}>{window}</option>
            ))}
          </select>
        </label>
        <fieldset class="field">
          <legend>Strictness</legend>
          {MODES.map(({ id, label, title }) => (
            <label key={id} class="choice" title={title}>
              <input type="checkbox" checked={modes.includes(id)} onChange={() => toggle(id)} /> {label}
            </label>
          ))}
        </fieldset>
      </div>
      <div class="builder-result">{steps.length < STEPS_MIN ? <Empty>The funnel appears here</Empty> : <FunnelBars steps={steps} />}</div>
    </div>
  );
}
