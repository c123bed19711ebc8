/**
 * A month in which a click chooses a day, and a second one the range between both (WAI-ARIA grid pattern): arrows move by a day or a
 * week, Page Up and Down by a month, with Shift by a year.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatMonthAndYear, formatRange, formatWeekday } from "../format/locale.ts";
import { weekStart } from "../state/known-sites.ts";
import { monthAfter, weekOf, weeksOfMonth } from "../state/month.ts";
import { dayAfter } from "../state/range.ts";

interface CalendarProps {
  readonly start: string;
  readonly end: string;
  /** The days that can be chosen. */
  readonly min: string;
  readonly max: string;
  readonly onChoose: (start: string, end: string) => void;
}

/** The same date of another month, or that month's last. */
function inMonth(day: string, months: number): string {
  const last = dayAfter(monthAfter(day, months + 1), -1);
  const same = `${last.slice(0, 8)}${day.slice(8)}`;
  return same < last ? same : last;
}

const YEAR_MONTHS = 12;

/** Where a key leads to from a day. */
function dayAfterKey({ key, shiftKey }: KeyboardEvent, day: string): string | undefined {
  const week = weekOf(day, weekStart.value);
  const months = shiftKey ? YEAR_MONTHS : 1;
  const targets: Readonly<Record<string, string | undefined>> = {
    ArrowLeft: dayAfter(day, -1),
    ArrowRight: dayAfter(day, 1),
    ArrowUp: dayAfter(day, -7),
    ArrowDown: dayAfter(day, 7),
    PageUp: inMonth(day, -months),
    PageDown: inMonth(day, months),
    Home: week[0],
    End: week[6],
  };
  return targets[key];
}

interface TurnProps {
  readonly name: string;
  readonly text: string;
  readonly isDisabled: boolean;
  readonly onTurn: () => void;
}

const Turn = ({ name, text, isDisabled, onTurn }: TurnProps) => (
  <button type="button" class="icon-button" aria-label={name} disabled={isDisabled} onClick={onTurn}>
    {text}
  </button>
);

const WeekdayHeads = ({ week }: { readonly week: readonly string[] }) => (
  <thead>
    <tr>
      {week.map((day) => (
        <th key={day} scope="col" abbr={formatWeekday(day, "long")}>
          {formatWeekday(day, "short")}
        </th>
      ))}
    </tr>
  </thead>
);

interface DayProps extends Pick<CalendarProps, "start" | "end" | "min" | "max"> {
  readonly day: string;
  /** The day that the keyboard is at. */
  readonly current: string;
  readonly onChoose: (day: string) => void;
}

const Day = ({ day, current, start, end, min, max, onChoose }: DayProps) => (
  <td role="gridcell" aria-selected={start <= day && day <= end}>
    <button
      type="button"
      class={monthAfter(day, 0) === monthAfter(current, 0) ? "day" : "day other"}
      data-day={day}
      data-edge={day === start || day === end}
      tabIndex={day === current ? 0 : -1}
      aria-label={formatRange(day, day)}
      disabled={day < min || day > max}
      onClick={() => onChoose(day)}
    >
      {Number(day.slice(-2))}
    </button>
  </td>
);

/** The day that the keyboard is at, and how it moves: the focus follows only a key. */
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

export function Calendar({ start, end, min, max, onChoose }: CalendarProps) {
  const { current, grid, onKeyDown, show } = useCurrentDay(end, { min, max });
  /** The first click of a new range; null before it. */
  const [first, setFirst] = useState<string | null>(null);
  const shown = { start, end, min, max, current };

  function choose(day: string) {
    const other = first ?? day;
    show(day);
    setFirst(first === null ? day : null);
    onChoose(other < day ? other : day, other < day ? day : other);
  }

  const turn = (months: number) => () => show(inMonth(current, months));
  return (
    <div class="calendar">
      <div class="calendar-head">
        <Turn name="Previous month" text="‹" isDisabled={monthAfter(current, 0) <= min} onTurn={turn(-1)} />
        <strong aria-live="polite">{formatMonthAndYear(current)}</strong>
        <Turn name="Next month" text="›" isDisabled={monthAfter(current, 1) > max} onTurn={turn(1)} />
      </div>
      <table role="grid" aria-label="Days" ref={grid} onKeyDown={onKeyDown}>
        <WeekdayHeads week={weekOf(current, weekStart.value)} />
        <tbody>
          {weeksOfMonth(current, weekStart.value).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <Day key={day} day={day} {...shown} onChoose={choose} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim" role="status">
        {first === null ? "" : `From ${formatRange(first, first)}. Choose the last day.`}
      </p>
    </div>
  );
}
