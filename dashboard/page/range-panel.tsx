/**
 * Dialogs that choose two dates: of a custom range, and of the compared window. The calendar follows the WAI-ARIA grid pattern: arrows move
 * by a day or a week, Page Up and Down by a month, with Shift by a year.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { dayAfter } from "../../src/shared/periods.ts";
import { formatMonthAndYear, formatRange, formatWeekday } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form } from "../kit/forms.tsx";
import { timeZone, weekStart } from "../state/known-sites.ts";
import { bounds, comparedBy, comparedRange, problemOf, range, today } from "../state/period.ts";
import { FIRST_DAY, monthAfter, weekOf, weeksOfMonth, type Range } from "../state/range.ts";
import { navigate } from "../state/url.ts";
import { closePanel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";

interface CalendarProps {
  readonly start: string;
  readonly end: string;
  /** Bounds of the days that can be chosen. */
  readonly min: string;
  readonly max: string;
  readonly onChoose: (start: string, end: string) => void;
}

/** Falls back to the month's last date. */
function inMonth(day: string, months: number): string {
  const last = dayAfter(monthAfter(day, months + 1), -1);
  const same = `${last.slice(0, 8)}${day.slice(8)}`;
  return same < last ? same : last;
}

function dayAfterKey({ key, shiftKey }: KeyboardEvent, day: string): string | undefined {
  const week = weekOf(day, weekStart.value);
  const months = shiftKey ? 12 : 1;
  return {
    ArrowLeft: dayAfter(day, -1),
    ArrowRight: dayAfter(day, 1),
    ArrowUp: dayAfter(day, -7),
    ArrowDown: dayAfter(day, 7),
    PageUp: inMonth(day, -months),
    PageDown: inMonth(day, months),
    Home: week[0],
    End: week[6],
  }[key];
}

/** The focus follows only keys. */
function useCurrentDay(initial: string, { min, max }: Pick<CalendarProps, "min" | "max">) {
  const limited = (day: string): string => (day < min ? min : day > max ? max : day);
  const [current, setCurrent] = useState(limited(initial));
  const grid = useRef<HTMLTableElement>(null);
  const isMoved = useRef(false);
  // Before the next key.
  useLayoutEffect(() => {
    if (isMoved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    isMoved.current = false;
  }, [current]);
  function onKeyDown(event: KeyboardEvent) {
    const next = dayAfterKey(event, current);
    if (next === undefined) return;
    event.preventDefault();
    isMoved.current = true;
    setCurrent(limited(next));
  }
  return { current, grid, onKeyDown, show: (day: string) => setCurrent(limited(day)) };
}

function Calendar({ start, end, min, max, onChoose }: CalendarProps) {
  const { current, grid, onKeyDown, show } = useCurrentDay(end, { min, max });
  /** The first click of a new range; null before it. */
  const [first, setFirst] = useState<string | null>(null);

  function choose(day: string) {
    const other = first ?? day;
    show(day);
    setFirst(first === null ? day : null);
    onChoose(other < day ? other : day, other < day ? day : other);
  }

  const turnButton = (name: string, text: string, months: 1 | -1, isDisabled: boolean) => (
    <button type="button" class="icon-button" aria-label={name} disabled={isDisabled} onClick={() => show(inMonth(current, months))}>
      {text}
    </button>
  );
  return (
    <div class="calendar">
      <div class="calendar-head">
        {turnButton(words.rangeDialog.previousMonth, "‹", -1, monthAfter(current, 0) <= min)}
        <strong aria-live="polite">{formatMonthAndYear(current)}</strong>
        {turnButton(words.rangeDialog.nextMonth, "›", 1, monthAfter(current, 1) > max)}
      </div>
      <table role="grid" aria-label={words.rangeDialog.days} ref={grid} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekOf(current, weekStart.value).map((day) => (
              <th key={day} scope="col" abbr={formatWeekday(day, "long")}>
                {formatWeekday(day, "short")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOfMonth(current, weekStart.value).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} role="gridcell" aria-selected={start <= day && day <= end}>
                  <button
                    type="button"
                    class={monthAfter(day, 0) === monthAfter(current, 0) ? "day" : "day other"}
                    data-day={day}
                    data-edge={day === start || day === end}
                    tabIndex={day === current ? 0 : -1}
                    aria-label={formatRange(day, day)}
                    disabled={day < min || day > max}
                    onClick={() => choose(day)}
                  >
                    {Number(day.slice(-2))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim" role="status">
        {first === null ? "" : fill(words.rangeDialog.chooseLast, { date: formatRange(first, first) })}
      </p>
    </div>
  );
}

const lastDay = (): string => (bounds.value && bounds.value.end < today.value ? bounds.value.end : today.value);

interface RangePanelProps {
  readonly title: string;
  readonly initial: Range;
  readonly onApply: (start: string, end: string) => void;
}

function RangePanel({ title, initial, onApply }: RangePanelProps) {
  const [start, setStart] = useState(initial.start);
  const [end, setEnd] = useState(initial.end);
  const problem = problemOf(start, end);
  const dateField = (date: "start" | "end", label: string, value: string, onInput: (day: string) => void) => {
    const text = problem?.date === date ? problem.text : null;
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
            aria-invalid={text !== null}
            aria-describedby={text === null ? undefined : `problem-${date}`}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        </label>
        {text !== null && (
          <p id={`problem-${date}`} class="problem" role="alert">
            {text}
          </p>
        )}
      </div>
    );
  };
  return (
    <Dialog title={title} onClose={closePanel}>
      <Form onSubmit={() => problem === null && onApply(start, end)}>
        <div class="form-row">
          {dateField("start", words.rangeDialog.startDate, start, setStart)}
          {dateField("end", words.rangeDialog.endDate, end, setEnd)}
        </div>
        <p class="dim">{fill(words.rangeDialog.zone, { zone: timeZone.value })}</p>
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
          {words.rangeDialog.apply}
        </button>
      </Form>
    </Dialog>
  );
}

export const CustomRangePanel = () => (
  <RangePanel
    title={words.rangeDialog.customRange}
    initial={range.value}
    onApply={(start, end) => navigate({ start, end, period: null, panel: null })}
  />
);

export const ComparedRangePanel = () => (
  <RangePanel
    title={words.rangeDialog.compareWith}
    initial={comparedRange.value ?? comparedBy("previous_period") ?? range.value}
    onApply={(start, end) => navigate({ compare: "custom", compare_start: start, compare_end: end, panel: null })}
  />
);
