/** The dialogs that choose two dates: of a custom range, and of the window that it is compared with. */
import { useState } from "preact/hooks";
import { Dialog } from "../kit/dialog.tsx";
import { timeZone } from "../state/known-sites.ts";
import { FIRST_DAY, type Range } from "../state/range.ts";
import { bounds, comparedBy, comparedRange, problemOf, range, today } from "../state/period.ts";
import { navigate } from "../state/url.ts";
import { closePanel } from "../state/view.ts";
import { Calendar } from "./calendar.tsx";

/** Of those that can be shown. */
const lastDay = (): string => (bounds.value && bounds.value.end < today.value ? bounds.value.end : today.value);

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
          min={bounds.value?.start}
          max={lastDay()}
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
  const problem = problemOf(start, end);
  const textOf = (date: "start" | "end") => (problem?.date === date ? problem.text : null);
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
          <DateField label={`Start date (${timeZone.value})`} value={start} problem={textOf("start")} onInput={setStart} />
          <DateField label="End date" value={end} problem={textOf("end")} onInput={setEnd} />
        </div>
        <Calendar
          start={start}
          end={end}
          min={bounds.value?.start ?? FIRST_DAY}
          max={lastDay()}
          onChoose={(from, to) => {
            setStart(from);
            setEnd(to);
          }}
        />
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
