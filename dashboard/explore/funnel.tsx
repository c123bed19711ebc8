/** The funnel report: visitors who complete each step, their share of those of the first and of the previous one, and who drops off. */
import { useState } from "preact/hooks";
import { STEPS_MIN } from "../../src/shared/limits.ts";
import { countOf, formatCount, formatRate } from "../format/locale.ts";
import { Checkbox } from "../kit/forms.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { tip } from "../kit/tips.ts";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { navigate, param } from "../state/url.ts";
import { fill, words } from "../words/words.ts";
import { SavedFunnels } from "./saved-reports.tsx";
import { StepBuilder, stepsInUrl, stepText } from "./steps.tsx";

const WINDOWS = ["30 minutes", "1 hour", "1 day", "7 days", "30 days"] as const;
const WINDOW_DEFAULT = "1 day";

/** Modes of docs/http-api.md, "Funnel": the most common one, and the others. */
const STRICT_ORDER = "strict_order";
const ADVANCED_MODES = ["strict_deduplication", "strict_increase", "strict_once"] as const;
type Mode = typeof STRICT_ORDER | (typeof ADVANCED_MODES)[number];

interface RatesProps {
  readonly ofFirst: number;
  /** null for the first step. */
  readonly ofPrevious: number | null;
}

const Rates = ({ ofFirst, ofPrevious }: RatesProps) => (
  <span class="funnel-rates">
    {ofPrevious !== null && <span data-rate="step">{fill(words.explore.ofPreviousStep, { rate: formatRate(ofPrevious) })}</span>}
    <strong {...tip(words.explore.ofFirstStep)}>{formatRate(ofFirst)}</strong>
  </span>
);

function FunnelSteps({ steps }: { readonly steps: readonly string[] }) {
  const report = useReport("funnel", {
    ...scope.value,
    steps: steps.join(","),
    window: param("window") ?? WINDOW_DEFAULT,
    modes: param("modes"),
  });
  return (
    <ReportView report={report} rows={steps.length}>
      {(rows) =>
        (rows[0]?.visitors ?? 0) === 0 ? (
          <Empty>{words.explore.noFirstStep}</Empty>
        ) : (
          <ol class="funnel" aria-label={words.cards.funnel}>
            {rows.map(({ step, name, visitors, conversion_rate, dropped_off }, i) => {
              const text = stepText(steps[step - 1] ?? name);
              const before = rows[i - 1]?.visitors;
              return (
                <li key={step} class="funnel-step" data-step={step}>
                  <div class="funnel-head">
                    <span class="funnel-name" {...tip(text)}>
                      {step}. {text}
                    </span>
                    <Rates ofFirst={conversion_rate} ofPrevious={before === undefined ? null : before === 0 ? 0 : visitors / before} />
                  </div>
                  <div class="funnel-track" aria-hidden="true">
                    <span style={{ width: `${conversion_rate * 100}%` }} />
                  </div>
                  <p class="dim">
                    {countOf(visitors, words.counts.visitor)}
                    {dropped_off > 0 && <span class="worse"> · {fill(words.explore.droppedOff, { count: formatCount(dropped_off) })}</span>}
                  </p>
                </li>
              );
            })}
          </ol>
        )
      }
    </ReportView>
  );
}

function FunnelModes() {
  const chosen = (param("modes") ?? "").split(",").filter((mode) => mode !== "");
  const toggle = (mode: string) =>
    navigate({ modes: (chosen.includes(mode) ? chosen.filter((known) => known !== mode) : [...chosen, mode]).join(",") });
  const choice = (id: Mode) => (
    <Checkbox key={id} isChecked={chosen.includes(id)} onChange={() => toggle(id)}>
      {words.explore.modes[id]}
    </Checkbox>
  );
  const [isOpen, setOpen] = useState(ADVANCED_MODES.some((id) => chosen.includes(id)));
  return (
    <>
      <div class="field">{choice(STRICT_ORDER)}</div>
      <details class="advanced" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.explore.advanced}</summary>
        <div class="field">{ADVANCED_MODES.map(choice)}</div>
      </details>
    </>
  );
}

export function Funnel() {
  const steps = stepsInUrl("steps");
  return (
    <div class="builder">
      <div class="builder-form">
        <StepBuilder param="steps" />
        <label class="field">
          {words.explore.window}
          <select
            value={param("window") ?? WINDOW_DEFAULT}
            onChange={(event) => navigate({ window: event.currentTarget.value === WINDOW_DEFAULT ? null : event.currentTarget.value })}
          >
            {WINDOWS.map((window) => (
              <option key={window} value={window}>
                {words.explore.windows[window]}
              </option>
            ))}
          </select>
        </label>
        <FunnelModes />
        {!isGuest && <SavedFunnels />}
      </div>
      <div class="builder-result">
        {steps.length < STEPS_MIN ? <Empty>{words.explore.addFunnelSteps}</Empty> : <FunnelSteps steps={steps} />}
      </div>
    </div>
  );
}
