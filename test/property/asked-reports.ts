/** Requests for each report and export, with random parameters of its own. */
import fc from "fast-check";
import { SESSION_DIMENSIONS } from "../../src/runtime/query/filters.ts";
import { parseProps } from "../../src/runtime/duckdb/tables/properties.ts";
import { PROPERTY_KEYS, TEXTS, type History } from "./histories.ts";
import { dayOf, dayPlus } from "./model.ts";
import { dimension } from "./questions.ts";

export type Parameters = Readonly<Record<string, string>>;

/** An endpoint and its own parameters. */
export type Asked = readonly [endpoint: string, own: Parameters];

const optionalOf = (name: string, ...values: readonly string[]): fc.Arbitrary<Parameters> =>
  fc.option(fc.constantFrom(...values)).map((value) => (value === null ? {} : { [name]: value }));

const asking = (endpoint: string, ...own: readonly fc.Arbitrary<Parameters>[]): fc.Arbitrary<Asked> =>
  fc.tuple(...own).map((parts) => [endpoint, Object.assign({}, ...parts) as Parameters]);

const interval = optionalOf("interval", "minute", "hour", "day", "week", "month");
const limit = optionalOf("limit", "1", "3", "1000");

const encoded = (text: string) => text.replaceAll("%2C", "%252C").replaceAll(",", "%2C");
const step = fc.oneof(
  TEXTS.events.map((name) => `event:${encoded(name)}`),
  fc.constantFrom("page:/", "page:/a", "page:/*", "page:*a*", "page:/%*", "page:/a.b", "page:/\\*", "event:pageview"),
  TEXTS.pages.filter((path) => path.startsWith("/")).map((path) => `page:${encoded(path)}`),
);
const steps = fc.array(step, { minLength: 2, maxLength: 4 }).map((list) => ({ steps: list.join(",") }));

const pattern = fc.tuple(
  fc.constantFrom("(?1)(?2)", "(?1).*(?2)", "(?1)(?t<=3600)(?2)", "(?2).(?1)", "(?1)(?t>60).*(?2)"),
  fc.array(step, { minLength: 2, maxLength: 3 }),
);

/** A window of two weeks before the current time, which is cut if the range is of today. */
const comparison = (nowMs: number): fc.Arbitrary<Parameters> =>
  fc.oneof(
    optionalOf("compare", "previous_period", "year_over_year"),
    fc
      .record({ back: fc.integer({ min: 0, max: 20 }), days: fc.integer({ min: 1, max: 14 }), cut: fc.boolean() })
      .map(({ back, days, cut }) => ({
        compare: "custom",
        compare_start_date: dayPlus(dayOf(nowMs), 1 - days - back),
        compare_end_date: dayPlus(dayOf(nowMs), -back),
        compare_same_time: String(cut),
      })),
  );

/** The keys of the history's properties, and some that it may not have. */
const keysOf = ({ steps: played }: History): readonly string[] => [
  ...PROPERTY_KEYS,
  ...new Set(played.flatMap(({ events }) => events.flatMap(({ props }) => (props === null ? [] : [...parseProps(props).keys()])))),
];

/** Each report, in the order of the document, and several breakdowns. */
export const reportsOf = (past: History): fc.Arbitrary<readonly Asked[]> =>
  fc.tuple(
    asking("main", comparison(past.nowMs)),
    asking("timeseries", interval, optionalOf("include", "events")),
    asking("timeseries", interval, fc.constant({ include: "revenue", currency: "EUR" })),
    fc.oneof(dimension, dimension, dimension, fc.constantFrom(...SESSION_DIMENSIONS)).chain((name) => asking(`breakdown/${name}`, limit)),
    dimension.chain((name) => asking(`breakdown/${name}`, limit)),
    fc.constantFrom(...SESSION_DIMENSIONS).chain((name) => asking(`breakdown/${name}`, limit)),
    asking(
      "changes",
      optionalOf("metric", "visits", "pageviews", "bounce_rate", "views_per_visit", "duration"),
      comparison(past.nowMs),
      optionalOf("band", "day", "hour"),
      optionalOf("dimensions", "visit-sources,entry-pages,cities,visit-hostnames", "browsers,os-versions"),
      limit.map(({ limit: rows }) => (rows === undefined || rows === "1000" ? {} : { limit: rows })),
    ),
    asking(
      "changes",
      fc.constantFrom({ metric: "conversions" }, { metric: "conversion_rate" }),
      fc.constantFrom({ goal: "Signup" }, { goal: "pageview" }),
    ),
    asking("changes", fc.constant({ metric: "revenue", currency: "EUR" }), comparison(past.nowMs)),
    asking("realtime", optionalOf("minutes", "1", "5", "30", "60")),
    asking("goals"),
    asking("goals", comparison(past.nowMs), fc.constant({ include: "comparison" })),
    asking("properties"),
    fc
      .constantFrom(...PROPERTY_KEYS)
      .chain((key) => asking("property-values", fc.constant({ key }), optionalOf("event", "pageview", "Signup"))),
    fc.constantFrom(...keysOf(past)).chain((name) => asking("property-values", fc.constant({ name }))),
    fc.constantFrom(...keysOf(past)).chain((name) => asking("property-values", fc.constant({ name }))),
    asking("revenue"),
    asking("revenue", comparison(past.nowMs), fc.constant({ include: "comparison" })),
    asking("session-timeseries", interval),
    asking("sessions"),
    asking(
      "funnel",
      steps,
      optionalOf("window", "1 second", "30 minutes", "1 day", "4 weeks"),
      optionalOf(
        "modes",
        "strict_order",
        "strict_deduplication,strict_increase",
        "strict_once",
        "strict_increase,strict_order,strict_once",
      ),
    ),
    asking("retention", optionalOf("weeks", "2", "4", "12")),
    asking("sequences", steps),
    asking(
      "sequences",
      pattern.map(([written, conditions]) => ({ pattern: written, conditions: conditions.join(",") })),
    ),
    asking(
      "flow",
      fc.constantFrom({ page: "/" }, { page: "/a" }, { page: "/*" }, { page: "*" }),
      optionalOf("direction", "forward", "backward"),
      optionalOf("repeats", "skip"),
      optionalOf("with_ends", "true"),
      limit,
    ),
    asking("export", optionalOf("format", "csv", "json"), optionalOf("kind", "daily")),
    asking("export", optionalOf("format", "csv", "json"), fc.constant({ kind: "raw" }), optionalOf("limit", "1", "4", "1000")),
  );
