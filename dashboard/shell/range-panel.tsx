/** The dialogs that choose two dates: of a custom range, and of the window that it is compared with. */
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { rangeProblem, type Range } from "../state/range.ts";
import { comparedBy, comparedRange, range, today } from "../state/period.ts";
import { navigate } from "../state/url.ts";
import { closePanel } from "../state/view.ts";

interface DateFieldProps {
  readonly label: string;
  readonly value: string;
  readonly problem: string | null;
  readonly onInput: (day: string) => void;
}

function DateField({ label, value, problem, onInput }: DateFieldProps) {
  const problemId = `problem-${label}`.replaceAll(/\W/g, "-");
  return (
    <div class="labelled">
      <label>
        {label}
        <input
          type="date"
          required
          value={value}
          max={today.value}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : problemId}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </label>
      {problem !== null && (
        <p id={problemId} class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface RangePanelProps {
  readonly title: string;
  readonly initial: Range;
  readonly onApply: (start: string, end: string) => void;
}

function RangePanel({ title, initial, onApply }: RangePanelProps) {
  const [start, setStart] = useState(initial.start);
  const [end, setEnd] = useState(initial.end);
  const problem = rangeProblem(start, end);
  const problemOf = (date: "start" | "end") => (problem?.date === date ? problem.text : null);
  return (
    <Dialog title={title} onClose={closePanel}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === null) onApply(start, end);
        }}
      >
        <div class="form-row">
          <DateField label="Start date (UTC)" value={start} problem={problemOf("start")} onInput={setStart} />
          <DateField label="End date" value={end} problem={problemOf("end")} onInput={setEnd} />
        </div>
        <button type="submit" class="button primary" disabled={problem !== null}>
          Apply
        </button>
      </form>
    </Dialog>
  );
}

export const CustomRangePanel = () => (
  <RangePanel title="Custom range" initial={range.value} onApply={(start, end) => navigate({ start, end, period: null, panel: null })} />
);

export const ComparedRangePanel = () => (
  <RangePanel
    title="Compare with"
    initial={comparedRange.value ?? comparedBy("previous_period") ?? range.value}
    onApply={(start, end) => navigate({ compare: "custom", compare_start: start, compare_end: end, panel: null })}
  />
);
