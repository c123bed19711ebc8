/** The period: a menu of named ones, arrows to the previous and next, and the dialog for a custom range. */
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { Menu } from "../components/menu.tsx";
import { Problem } from "../components/states.tsx";
import { formatRange } from "../format/locale.ts";
import { dayAfter, daysBetween, PERIODS, shifted, type Period } from "../state/range.ts";
import { closePanel, navigate, openPanel, period, range, today } from "../state/view.ts";

/** The service's limit (docs/http-api.md, "Date ranges"). */
const DAYS_MAX = 366;

/** `key` is the keyboard shortcut. */
export const PERIOD_LABELS: Readonly<Record<Period, { readonly label: string; readonly key: string }>> = {
  day: { label: "Today", key: "D" },
  "7d": { label: "Last 7 days", key: "W" },
  "30d": { label: "Last 30 days", key: "M" },
  "90d": { label: "Last 90 days", key: "Q" },
  "12mo": { label: "Last 12 months", key: "Y" },
};

export const choosePeriod = (chosen: Period): void => navigate({ period: chosen === "30d" ? null : chosen, start: null, end: null });

/** By so many of its lengths; negative into the past. */
export function shiftPeriod(lengths: number): void {
  const changes = shifted(range.value, lengths, today.value);
  if (changes) navigate(changes);
}

interface ArrowProps {
  readonly name: string;
  readonly text: string;
  readonly shortcut: string;
  readonly lengths: number;
}

const Arrow = ({ name, text, shortcut, lengths }: ArrowProps) => (
  <button
    type="button"
    class="bar-button arrow"
    aria-label={name}
    title={`${name} (${shortcut})`}
    disabled={shifted(range.value, lengths, today.value) === null}
    onClick={() => shiftPeriod(lengths)}
  >
    {text}
  </button>
);

function PeriodMenu() {
  const { start, end } = range.value;
  const chosen = period.value;
  const label = chosen === "custom" ? formatRange(start, end) : PERIOD_LABELS[chosen].label;
  const yesterday = dayAfter(today.value, -1);
  return (
    <Menu
      label={`Period: ${label}`}
      button={
        <>
          {label} <span class="caret" aria-hidden="true" />
        </>
      }
      items={[
        ...PERIODS.map((id) => ({
          label: PERIOD_LABELS[id].label,
          hint: PERIOD_LABELS[id].key,
          isChosen: id === chosen,
          onChoose: () => choosePeriod(id),
        })),
        {
          label: "Yesterday",
          isChosen: start === yesterday && end === yesterday,
          onChoose: () => navigate({ start: yesterday, end: yesterday, period: null }),
        },
        null,
        { label: "Custom range…", onChoose: () => openPanel("days") },
        { label: "Realtime", onChoose: () => navigate({ view: "realtime" }) },
      ]}
    />
  );
}

export const PeriodPicker = () => (
  <div class="period">
    <Arrow name="Previous period" text="‹" shortcut="←" lengths={-1} />
    <Arrow name="Next period" text="›" shortcut="→" lengths={1} />
    <PeriodMenu />
  </div>
);

function problemOf(start: string, end: string): string | null {
  const days = daysBetween(start, end);
  if (!(days >= 1)) return "The start date must not be after the end date.";
  return days > DAYS_MAX ? `Choose up to ${DAYS_MAX} days.` : null;
}

export function CustomRangePanel() {
  const [start, setStart] = useState(range.value.start);
  const [end, setEnd] = useState(range.value.end);
  const problem = problemOf(start, end);
  return (
    <Dialog title="Custom range" onClose={closePanel}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === null) navigate({ start, end, period: null, panel: null });
        }}
      >
        <div class="form-row">
          <label>
            Start date (UTC)
            <input type="date" required value={start} max={today.value} onInput={(event) => setStart(event.currentTarget.value)} />
          </label>
          <label>
            End date
            <input type="date" required value={end} max={today.value} onInput={(event) => setEnd(event.currentTarget.value)} />
          </label>
        </div>
        <Problem text={problem} />
        <button type="submit" class="button primary" disabled={problem !== null}>
          Apply
        </button>
      </form>
    </Dialog>
  );
}
