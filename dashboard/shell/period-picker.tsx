/** Which days: named periods, any range, and arrows to the ones before and after. */
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { Menu } from "../components/menu.tsx";
import { dayAfter, daysBetween, shifted, type Period } from "../state/range.ts";
import { closePanel, go, openPanel, period, range, today } from "../state/view.ts";
import { rangeText } from "../format/dates.ts";

/** As many as the service takes. */
const DAYS_MAX = 366;

export const PERIOD_WORDS: Readonly<Record<Period, { readonly label: string; readonly key: string }>> = {
  day: { label: "Today", key: "D" },
  "7d": { label: "Last 7 days", key: "W" },
  "30d": { label: "Last 30 days", key: "M" },
  "90d": { label: "Last 90 days", key: "Q" },
  "12mo": { label: "Last 12 months", key: "Y" },
};

export const choosePeriod = (chosen: Period): void => go({ period: chosen === "30d" ? null : chosen, start: null, end: null });

export function shiftPeriod(lengths: number): void {
  const changes = shifted(range.value, lengths, today.value);
  if (changes) go(changes);
}

export function PeriodPicker() {
  const chosen = period.value;
  const label = chosen === "custom" ? rangeText(range.value) : PERIOD_WORDS[chosen].label;
  const yesterday = dayAfter(today.value, -1);
  return (
    <div class="period">
      <button
        type="button"
        class="bar-button arrow"
        aria-label="Previous period"
        title="Previous period (←)"
        onClick={() => shiftPeriod(-1)}
      >
        ‹
      </button>
      <button
        type="button"
        class="bar-button arrow"
        aria-label="Next period"
        title="Next period (→)"
        disabled={shifted(range.value, 1, today.value) === null}
        onClick={() => shiftPeriod(1)}
      >
        ›
      </button>
      <Menu
        label={`Period: ${label}`}
        button={
          <>
            {label} <span class="caret" aria-hidden="true" />
          </>
        }
        items={[
          ...(Object.keys(PERIOD_WORDS) as Period[]).map((id) => ({
            label: PERIOD_WORDS[id].label,
            hint: PERIOD_WORDS[id].key,
            isChosen: id === chosen,
            onChoose: () => choosePeriod(id),
          })),
          {
            label: "Yesterday",
            isChosen: range.value.start === yesterday && range.value.end === yesterday,
            onChoose: () => go({ start: yesterday, end: yesterday, period: null }),
          },
          null,
          { label: "Any days…", onChoose: () => openPanel("days") },
          { label: "Realtime", onChoose: () => go({ view: "realtime" }) },
        ]}
      />
    </div>
  );
}

/** The dialog for any range. */
export function DaysPanel() {
  const [start, setStart] = useState(range.value.start);
  const [end, setEnd] = useState(range.value.end);
  const days = daysBetween(start, end);
  const problem = !(days >= 1) ? "The first day must not be after the last." : days > DAYS_MAX ? `At most ${DAYS_MAX} days.` : null;
  return (
    <Dialog title="Any days" onClose={closePanel}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === null) go({ start, end, period: null, panel: null });
        }}
      >
        <div class="form-row">
          <label>
            First day (UTC)
            <input type="date" required value={start} max={today.value} onInput={(event) => setStart(event.currentTarget.value)} />
          </label>
          <label>
            Last day, included
            <input type="date" required value={end} max={today.value} onInput={(event) => setEnd(event.currentTarget.value)} />
          </label>
        </div>
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="button primary" disabled={problem !== null}>
          Show
        </button>
      </form>
    </Dialog>
  );
}
