/** The funnel report, with visitors who complete each step and those who drop off; and sequences, whose steps may have any events in between. */
import { useState } from "preact/hooks";
import { STEPS_MIN } from "../../src/shared/limits.ts";
import { countOf, formatCount, formatRate } from "../format/locale.ts";
import { Checkbox } from "../kit/forms.tsx";
import { lazy } from "../kit/lazy.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { navigate, param } from "../state/url.ts";
import { fill, words } from "../words/words.ts";
import { StepBuilder, stepsInUrl, stepText } from "./steps.tsx";

const SavedFunnels = lazy(async () => (await import("./saved-steps.tsx")).SavedFunnels);

const WINDOWS = ["30 minutes", "1 hour", "1 day", "7 days", "30 days"] as const;
const WINDOW_DEFAULT = "1 day";

/** Modes of docs/http-api.md, "Funnel": the most common one, and the others. */
interface Mode {
  readonly id: string;
  readonly label: string;
  readonly title: string;
}

const STRICT_ORDER: Mode = { id: "strict_order", label: words.explore.strictOrder, title: words.explore.strictOrderAbout };
const ADVANCED_MODES: readonly Mode[] = [
  { id: "strict_deduplication", label: words.explore.noRepeats, title: words.explore.noRepeatsAbout },
  { id: "strict_increase", label: words.explore.increase, title: words.explore.increaseAbout },
  { id: "strict_once", label: words.explore.once, title: words.explore.onceAbout },
];

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
          <Empty>{words.explore.noneCompleted}</Empty>
        ) : (
          <ol class="funnel" aria-label={words.explore.funnel}>
            {rows.map(({ step, name, visitors, conversion_rate, dropped_off }) => {
              const text = stepText(steps[step - 1] ?? name);
              return (
                <li key={step} class="funnel-step" data-step={step}>
                  <div class="funnel-head">
                    <span class="funnel-name" title={text}>
                      {step}. {text}
                    </span>
                    <strong>{formatRate(conversion_rate)}</strong>
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
  const choice = ({ id, label, title }: Mode) => (
    <Checkbox key={id} title={title} isChecked={chosen.includes(id)} onChange={() => toggle(id)}>
      {label}
    </Checkbox>
  );
  const [isOpen, setOpen] = useState(ADVANCED_MODES.some(({ id }) => chosen.includes(id)));
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
  const steps = stepsInUrl();
  return (
    <div class="builder">
      <div class="builder-form">
        <StepBuilder />
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
        {steps.length < STEPS_MIN ? <Empty>{words.explore.addToFunnel}</Empty> : <FunnelSteps steps={steps} />}
      </div>
    </div>
  );
}

const SavedSequences = lazy(async () => (await import("./saved-steps.tsx")).SavedSequences);

function SequenceStats({ steps }: { readonly steps: readonly string[] }) {
  const report = useReport("sequences", { ...scope.value, steps: steps.join(",") });
  return (
    <ReportView report={report} rows={3}>
      {({ converting_visitors, total_visitors, conversion_rate, total_matches }) => (
        <dl class="big-stats">
          <div>
            <dt>{words.explore.completed}</dt>
            <dd data-stat="converting">{formatCount(converting_visitors)}</dd>
          </div>
          <div>
            <dt title={fill(words.explore.ofVisitors, { count: formatCount(total_visitors) })}>{words.explore.conversionRate}</dt>
            <dd>{formatRate(conversion_rate)}</dd>
          </div>
          <div>
            <dt title={words.explore.repeated}>{words.explore.timesCompleted}</dt>
            <dd>{formatCount(total_matches)}</dd>
          </div>
        </dl>
      )}
    </ReportView>
  );
}

export function Sequences() {
  const steps = stepsInUrl();
  return (
    <div class="builder">
      <div class="builder-form">
        <StepBuilder />
        {!isGuest && <SavedSequences />}
      </div>
      <div class="builder-result">
        {steps.length < STEPS_MIN ? <Empty>{words.explore.addToSequence}</Empty> : <SequenceStats steps={steps} />}
      </div>
    </div>
  );
}
