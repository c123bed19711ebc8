/** Random histories of a site in a time zone: events around changes of the clock, midnights and changes of the zone. */
import fc from "fast-check";
import { type CalendarRecord } from "../../src/storage/calendar.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { calendarRecord } from "../support/site-calendars.ts";
import { DAY_MS, SITES, untimedEvent, withPeriods, type History } from "./histories.ts";
import { plainCalendar, type PlainCalendar } from "./plain-calendar.ts";

const MINUTE_MS = 60_000;

export interface ZonedHistory {
  readonly name: string;
  readonly record: CalendarRecord;
  /** The same, from `Intl` alone. */
  readonly calendar: PlainCalendar;
  readonly rotationDays: number;
  readonly history: History;
}

export interface Place {
  readonly zone: string;
  readonly changes: readonly (readonly [firstDate: string, zone: string])[];
  /** Changes of the clock and beginnings of days. */
  readonly around: readonly string[];
}

export const PLACES: readonly Place[] = [
  { zone: "Europe/Berlin", changes: [], around: ["2026-03-28T23:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T22:00:00Z"] },
  { zone: "Europe/Berlin", changes: [], around: ["2026-10-24T22:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T23:00:00Z"] },
  { zone: "Australia/Lord_Howe", changes: [], around: ["2026-04-04T13:00:00Z", "2026-04-04T15:00:00Z", "2026-04-05T13:30:00Z"] },
  { zone: "Australia/Lord_Howe", changes: [], around: ["2026-10-03T13:30:00Z", "2026-10-03T15:30:00Z", "2026-10-04T13:00:00Z"] },
  // Midnight comes twice in the first, and is skipped in the second.
  { zone: "America/St_Johns", changes: [], around: ["2010-11-07T02:30:00Z", "2010-11-07T02:31:00Z", "2010-11-08T03:30:00Z"] },
  { zone: "America/Sao_Paulo", changes: [], around: ["2017-10-14T03:00:00Z", "2017-10-15T03:00:00Z", "2017-10-16T02:00:00Z"] },
  { zone: "Asia/Kathmandu", changes: [], around: ["2026-03-28T18:15:00Z", "2026-03-29T18:15:00Z", "2026-03-29T00:00:00Z"] },
  { zone: "Pacific/Auckland", changes: [], around: ["2026-04-04T11:00:00Z", "2026-04-04T14:00:00Z", "2026-04-05T12:00:00Z"] },
  // A day of 49 hours, one of 18, and one of none: a later date begins in the new zone before it would begin in the old one.
  {
    zone: "Pacific/Kiritimati",
    changes: [["2026-03-10", "Pacific/Pago_Pago"]],
    around: ["2026-03-08T10:00:00Z", "2026-03-09T10:00:00Z", "2026-03-10T11:00:00Z", "2026-03-11T11:00:00Z"],
  },
  {
    zone: "America/New_York",
    changes: [["2026-03-05", "Europe/Berlin"]],
    around: ["2026-03-04T05:00:00Z", "2026-03-04T23:00:00Z", "2026-03-05T05:00:00Z", "2026-03-05T23:00:00Z"],
  },
  {
    zone: "Pacific/Pago_Pago",
    changes: [["2026-03-11", "Pacific/Kiritimati"]],
    around: ["2026-03-09T11:00:00Z", "2026-03-10T10:00:00Z", "2026-03-10T11:00:00Z", "2026-03-11T10:00:00Z"],
  },
  {
    zone: "UTC",
    changes: [["2026-03-05", "Asia/Kathmandu"]],
    around: ["2026-03-04T00:00:00Z", "2026-03-04T18:15:00Z", "2026-03-05T00:00:00Z"],
  },
];

const offset = (sessionWindowMinutes: number): fc.Arbitrary<number> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({ windows: fc.constantFrom(-2, -1, -0.5, -0.5, 0, 0, 0.5, 1, 2), ms: fc.constantFrom(0, 0, -1, 1) })
        .map(({ windows, ms }) => windows * sessionWindowMinutes * MINUTE_MS + ms),
    },
    { weight: 2, arbitrary: fc.integer({ min: -90 * MINUTE_MS, max: 90 * MINUTE_MS }) },
    { weight: 2, arbitrary: fc.integer({ min: -DAY_MS, max: DAY_MS }) },
    { weight: 1, arbitrary: fc.integer({ min: -40, max: 2 }).map((days) => days * DAY_MS) },
  );

const windows = fc.record({ sessionWindowMinutes: fc.constantFrom(30, 30, 1, 300), realtimeWindowMinutes: fc.constantFrom(5, 60) });

/** Each of these as it is. */
const constants = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.constant(value)])) as {
    readonly [Name in keyof T]: fc.Arbitrary<T[Name]>;
  };

export function historyIn({ zone, changes, around }: Place): fc.Arbitrary<ZonedHistory> {
  const calendar = plainCalendar(zone, ...changes);
  const anchor = fc.constantFrom(...around.map((text) => Date.parse(text)));
  const afterwards = fc.constantFrom("nothing" as const, "ask" as const, "flush" as const, "ask and flush" as const);
  const withWindows = (chosen: { sessionWindowMinutes: number; realtimeWindowMinutes: number }) => {
    const moment = fc.tuple(anchor, offset(chosen.sessionWindowMinutes)).map(([anchorMs, offsetMs]) => anchorMs + offsetMs);
    const event = fc.tuple(untimedEvent, moment).map(([untimed, timestampMs]) => ({
      ...untimed,
      siteId: SITES[0] as string as typeof untimed.siteId,
      timestampMs,
      date: calendar.dateOf(timestampMs) as LocalDate,
    }));
    const step = fc.record({ events: fc.array(event, { minLength: 2, maxLength: 14, size: "max" }), afterwards });
    const nowMs = fc.tuple(anchor, fc.constantFrom(0, 1, 40 * MINUTE_MS, 5 * DAY_MS)).map(([anchorMs, later]) => anchorMs + later);
    return fc.record({ ...constants(chosen), nowMs, steps: fc.array(step, { minLength: 1, maxLength: 4, size: "max" }) });
  };
  return fc.tuple(windows.chain(withWindows), fc.constantFrom(1, 7, 3650, 3650)).map(([history, rotationDays]) => ({
    name: [zone, ...changes.flat()].join(" "),
    record: calendarRecord(zone, ...changes),
    calendar,
    rotationDays,
    history: withPeriods(history, rotationDays),
  }));
}
