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
import { words } from "../words/words.ts";
import { StepBuilder, stepsInUrl, stepText } from "./steps.tsx";

const SavedFunnels = lazy(async () => (await import("./saved-steps.tsx")).SavedFunnels);

const WINDOWS = ["30 minutes", "1 hour", "1 day", "7 days", "30 days"];
const WINDOW_DEFAULT = "1 day";

/** Modes of docs/http-api.md, "Funnel": the most common one, and the others. */
const STRICT_ORDER = { id: "strict_order", label: "Strict order", title: "No other event, and no later step, may come in between." };
const ADVANCED_MODES: readonly (typeof STRICT_ORDER)[] = [
  { id: "strict_deduplication", label: "No repeats", title: "A step other than the first must not come again." },
  { id: "strict_increase", label: "Strictly increasing time", title: "Each step must be later than the one before." },
  { id: "strict_once", label: "One event per step", title: "An event counts for one step only." },
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
          <Empty>No visitors completed the first step</Empty>
        ) : (
          <ol class="funnel" aria-label="Funnel">
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
                    {dropped_off > 0 && <span class="worse"> · {formatCount(dropped_off)} dropped off</span>}
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
  const choice = ({ id, label, title }: typeof STRICT_ORDER) => (
    <Checkbox key={id} title={title} isChecked={chosen.includes(id)} onChange={() => toggle(id)}>
      {label}
    </Checkbox>
  );
  const [isOpen, setOpen] = useState(ADVANCED_MODES.some(({ id }) => chosen.includes(id)));
  return (
    <>
      <div class="field">{choice(STRICT_ORDER)}</div>
      <details class="advanced" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Advanced</summary>
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
          Conversion window
          <select
            value={param("window") ?? WINDOW_DEFAULT}
            onChange={(event) => navigate({ window: event.currentTarget.value === WINDOW_DEFAULT ? null : event.currentTarget.value })}
          >
            {WINDOWS.map((window) => (
              <option key={window}>{window}</option>
            ))}
          </select>
        </label>
        <FunnelModes />
        {!isGuest && <SavedFunnels />}
      </div>
      <div class="builder-result">
        {steps.length < STEPS_MIN ? <Empty>Add two steps to see your funnel</Empty> : <FunnelSteps steps={steps} />}
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
            <dt>Completed</dt>
            <dd data-stat="converting">{formatCount(converting_visitors)}</dd>
          </div>
          <div>
            <dt title={`Of ${formatCount(total_visitors)} visitors`}>Conversion rate</dt>
            <dd>{formatRate(conversion_rate)}</dd>
          </div>
          <div>
            <dt title="Including repeated completions by the same visitor">Total completions</dt>
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
        {steps.length < STEPS_MIN ? <Empty>Add two steps to see your sequence</Empty> : <SequenceStats steps={steps} />}
      </div>
    </div>
  );
}
