/**
 * Imports of sums of days equal a plain model: main, timeseries and breakdowns, with and without filters, over days that have sums, events, both
 * or neither. What sums cannot answer counts the other days only, and the answer says so.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLOSED, createKey, logIn, withBearer } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import type { RequestHeaders } from "../support/requests.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import { confirm, type Files, upload } from "../support/uploads.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";
import type { LocalDate } from "../../src/storage/event.ts";

const RUNS = Math.max(8, Math.ceil(PROPERTY_RUNS / 4));
const SITE = siteId("sums.test");
const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"] as LocalDate[];
const dayAt = (place: number): LocalDate => DAYS[place] ?? ("" as LocalDate);

const BROWSERS = ["Chrome", "Firefox", "Safari", ""];
const PAGES = ["/", "/a", "/b"];

interface Numbers {
  readonly visitors: number;
  readonly pageviews: number;
  readonly visits: number;
  readonly bounces: number;
  readonly seconds: number;
}

interface Row extends Numbers {
  readonly day: number;
  readonly value: string;
}

const numbers = {
  visitors: fc.nat(9),
  pageviews: fc.nat(30),
  visits: fc.nat(20),
  bounces: fc.nat(5),
  seconds: fc.nat(3000),
};

const rowsOf = (values: readonly string[], maxLength: number) =>
  fc.array(fc.record({ day: fc.nat(DAYS.length - 1), value: fc.constantFrom(...values), ...numbers }), { maxLength, minLength: 1 });

const asked = fc.record({
  from: fc.nat(DAYS.length - 1),
  days: fc.integer({ min: 1, max: DAYS.length }),
  report: fc.constantFrom("main", "timeseries", "browsers", "pages"),
  filter: fc.constantFrom(
    "",
    "browsers==Chrome",
    "browsers!=Chrome",
    "browsers=in=(Chrome,Firefox)",
    "browsers=begins=S",
    "browsers==(unknown)",
    "pages==/a",
    "pages=in=(/,/a)",
    "browsers==Chrome;pages==/a",
    "countries==DE",
  ),
});

type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never;

interface World {
  readonly totals: readonly Row[];
  readonly browsers: readonly Row[];
  readonly pages: readonly Row[];
  /** Days with an event each, by a visitor with Chrome on `/a`. */
  readonly eventDays: readonly number[];
}

const csv = (header: string, rows: readonly (readonly (string | number)[])[]): string =>
  `${[header, ...rows.map((row) => row.join())].join("\n")}\n`;

const filesOf = ({ totals, browsers, pages }: World): Files => ({
  "imported_visitors.csv": csv(
    "date,visitors,pageviews,bounces,visits,visit_duration",
    totals.map(({ day, visitors, pageviews, bounces, visits, seconds }) => [dayAt(day), visitors, pageviews, bounces, visits, seconds]),
  ),
  "imported_browsers.csv": csv(
    "date,browser,visitors,visits,visit_duration,bounces,pageviews",
    browsers.map(({ day, value, visitors, pageviews, bounces, visits, seconds }) => [
      dayAt(day),
      value,
      visitors,
      visits,
      seconds,
      bounces,
      pageviews,
    ]),
  ),
  "imported_pages.csv": csv(
    "date,hostname,page,visits,visitors,pageviews",
    pages.map(({ day, value, visitors, pageviews, visits }) => [dayAt(day), "sums.test", value, visits, visitors, pageviews]),
  ),
});

const EVENT: Numbers = { visitors: 1, pageviews: 1, visits: 1, bounces: 1, seconds: 0 };
const EVENT_VALUES = { browsers: "Chrome", pages: "/a" } as const;

const NOTHING: Numbers = { visitors: 0, pageviews: 0, visits: 0, bounces: 0, seconds: 0 };
const NAMES = Object.keys(NOTHING) as (keyof Numbers)[];
const sumOf = (rows: readonly Numbers[]): Numbers =>
  Object.fromEntries(NAMES.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)])) as unknown as Numbers;

/** Whether a value passes the filter; a missing one is written as empty text. */
function passes(filter: string, value: string): boolean {
  if (filter === "browsers==Chrome") return value === "Chrome";
  if (filter === "browsers!=Chrome") return value !== "Chrome";
  if (filter.includes("=in=(Chrome")) return value === "Chrome" || value === "Firefox";
  if (filter === "browsers=begins=S") return value.startsWith("S");
  if (filter === "browsers==(unknown)") return value === "";
  if (filter === "pages==/a") return value === "/a";
  if (filter.includes("=in=(/")) return value === "/" || value === "/a";
  return filter === "";
}

const dimensionOf = (filter: string): "browsers" | "pages" | null =>
  filter.startsWith("browsers") ? "browsers" : filter.startsWith("pages") ? "pages" : null;

/** Two conditions, or one that the import has no table of. */
const isBeyond = (filter: string): boolean => filter.includes(";") || filter.startsWith("countries");

/** The rows of the answer in sums; null if they cannot answer it. */
function rowsFor({ report, filter }: Asked, world: World): readonly Row[] | null {
  const dimension = dimensionOf(filter);
  if (isBeyond(filter)) return null;
  if (report === "browsers" || report === "pages") {
    return dimension !== null && dimension !== report ? null : world[report].filter(({ value }) => passes(filter, value));
  }
  if (dimension === null) return world.totals;
  // Visitors of several pages do not add up, and bounces of a page are not known.
  if (dimension === "pages" && (report === "main" || filter !== "pages==/a")) return null;
  return world[dimension].filter(({ value }) => passes(filter, value));
}

function eventPasses({ filter }: Asked): boolean {
  if (filter.startsWith("countries")) return false;
  if (filter.includes(";")) return true;
  const dimension = dimensionOf(filter);
  return dimension === null || passes(filter, EVENT_VALUES[dimension]);
}

interface Expected {
  /** Rows of each day of the range. */
  readonly days: readonly (readonly (Numbers & { readonly value: string })[])[];
  readonly coverage: object | null;
}

function expectedOf(question: Asked, world: World): Expected {
  const { from, days, report } = question;
  const places = Array.from({ length: days }, (_, i) => from + i).filter((place) => place < DAYS.length);
  const sums = rowsFor(question, world);
  const imported = new Set([...world.totals, ...world.browsers, ...world.pages].map(({ day }) => day));
  const withEvents = new Set(world.eventDays);
  const covered = places.filter((place) => imported.has(place) && !withEvents.has(place));
  const value = report === "pages" ? EVENT_VALUES.pages : EVENT_VALUES.browsers;
  return {
    days: places.map((place) => {
      if (withEvents.has(place)) return eventPasses(question) ? [{ ...EVENT, value }] : [];
      return sums?.filter(({ day }) => day === place) ?? [];
    }),
    coverage:
      covered.length === 0
        ? null
        : {
            partial: [{ import: 1, start_date: dayAt(covered[0] ?? 0), end_date: dayAt(covered.at(-1) ?? 0), answered: sums !== null }],
          },
  };
}

async function answerTo(target: InProcessTarget, headers: RequestHeaders, { from, days, report, filter }: Asked) {
  const path = report === "browsers" || report === "pages" ? `breakdown/${report}` : report;
  const end = dayAt(Math.min(from + days, DAYS.length) - 1);
  const query = new URLSearchParams({ site_id: SITE, start_date: dayAt(from), end_date: end, filters: filter, interval: "day" });
  const response = await target.fetch(`/api/stats/${path}?${query}`, { headers });
  expect(response.status).toBe(200);
  const coverage = response.headers.get("Coverage");
  return { body: (await response.json()) as unknown, coverage: coverage === null ? null : (JSON.parse(coverage) as unknown) };
}

function bodyOf({ report }: Asked, { days, coverage }: Expected): unknown {
  const all = sumOf(days.flat());
  if (report === "main") {
    return expect.objectContaining({
      unique_visitors: all.visitors,
      total_pageviews: all.pageviews,
      total_events: all.pageviews,
      total_sessions: all.visits,
      bounce_rate: all.visits === 0 ? 0 : all.bounces / all.visits,
      avg_visit_duration_secs: all.visits === 0 ? 0 : all.seconds / all.visits,
      ...(coverage && { coverage }),
    }) as unknown;
  }
  if (report === "timeseries")
    return days.map((rows) => expect.objectContaining({ visitors: sumOf(rows).visitors, pageviews: sumOf(rows).pageviews }) as unknown);
  const values = [...new Set(days.flat().map(({ value }) => value))].map((value) => {
    const { visitors, pageviews } = sumOf(days.flat().filter((row) => row.value === value));
    return { value: value === "" ? "(unknown)" : value, visitors, pageviews, events: pageviews };
  });
  return values.sort((a, b) => b.visitors - a.visitors || (a.value < b.value ? -1 : 1));
}

describe("sums of days", () => {
  it(
    "answer what a plain model does, and leave out what they cannot answer",
    async () => {
      const target = await createInProcessTarget(CLOSED, { startMs: Date.parse("2026-03-20T12:00:00Z") });
      const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
      let answered = 0;
      const world = fc.record({
        totals: rowsOf([""], 8),
        browsers: rowsOf(BROWSERS, 12),
        pages: rowsOf(PAGES, 12),
        eventDays: fc.uniqueArray(fc.nat(DAYS.length - 1), { maxLength: 2 }),
      });
      await fc.assert(
        fc.asyncProperty(world, fc.array(asked, { minLength: 8, maxLength: 8 }), async (found, questions) => {
          // What a run has left that failed is there, too.
          for (const { number } of target.services.imports?.all ?? [])
            await target.services.imports?.delete(number, new AbortController().signal);
          await target.flush();
          await target.services.erasure.erase(SITE, dayAt(0), dayAt(DAYS.length - 1));
          const { import_id: id, failure } = await upload(target, headers, SITE, filesOf(found));
          expect(failure).toBeNull();
          await confirm(target, headers, id);
          for (const place of found.eventDays) {
            const timestampMs = Date.parse(`${dayAt(place)}T10:00:00Z`);
            await target.services.eventStore.append(
              anEvent({
                siteId: SITE,
                date: dayAt(place),
                timestampMs,
                visitorId: BigInt(place + 1),
                browser: "Chrome",
                pathname: "/a",
              }),
            );
          }
          target.services.stats.dropSite(SITE);
          for (const question of questions) {
            const expected = expectedOf(question, found);
            const { body, coverage } = await answerTo(target, headers, question);
            const ofFirst = JSON.parse(JSON.stringify(coverage)?.replaceAll(`"import":${id}`, '"import":1') ?? "null") as unknown;
            expect(ofFirst, JSON.stringify(question)).toEqual(expected.coverage);
            const body1 = JSON.parse(JSON.stringify(body).replaceAll(`"import":${id},`, '"import":1,')) as unknown;
            expect(body1, JSON.stringify(question)).toEqual(bodyOf(question, expected));
            if (expected.coverage !== null && JSON.stringify(expected.coverage).includes("true")) answered++;
          }
        }),
        { numRuns: RUNS },
      );
      expect(answered, "answers with sums").toBeGreaterThan(RUNS);
      await target.close();
    },
    PROPERTY_TIMEOUT_MS,
  );
});
