/** POST /api/stats/rule-preview: what a rule leaves out, before it is applied (docs/reports.md, "Rules of a site"). */
import { RULE_COUNTRIES_MAX } from "../runtime/base/config/report-limits.ts";
import { BODY_BYTES_MAX } from "../runtime/base/config/limits.ts";
import { Body, fieldOf, textField, wordField } from "../runtime/base/body.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import { closed, count, list, orNull, reference, text } from "../runtime/base/json-schema.ts";
import { BUILT_IN_RULES } from "../runtime/query/built-in-rules.ts";
import { answerOf as coveredAnswer } from "../runtime/query/coverage.ts";
import { conditionsOn, type Condition, type LensRule } from "../runtime/query/filters.ts";
import { isLeftOutBy, SHOWS_PERSON } from "../runtime/query/lenses.ts";
import { narrowed, type Reader, SCOPE_PARAMETERS } from "../runtime/query/scope.ts";
import { appliedRules, checkApplied, filterRuleOf } from "../runtime/query/site-rules.ts";
import { breakdown } from "../runtime/reports/breakdown.ts";
import { main } from "../runtime/reports/main.ts";
import { DAY } from "../runtime/reports/measures/fields.ts";
import type { PreparedReport, Report } from "../runtime/reports/report.ts";
import { sessions, sessionTimeseries } from "../runtime/reports/sessions.ts";
import { ITEM_ID } from "../runtime/sites/item-fields.ts";
import { appliedOf, RULE_BOUNDS, RULE_FILTERS, ruleTextOf } from "../runtime/sites/rule.ts";
import { RANGE_DAYS_MAX } from "../shared/limits.ts";
import type { SiteId } from "../storage/event.ts";
import type { JsonObject } from "../storage/record-store.ts";
import { requireAdminOf } from "./access.ts";
import { jsonReply, Query, readJson } from "./http.ts";
import { answer, BODY_REFUSALS, documented, jsonBody, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";
import { resultOf } from "./stats.ts";

const PARAMETERS = {
  site_id: SCOPE_PARAMETERS.site_id,
  period: SCOPE_PARAMETERS.period,
  start_date: SCOPE_PARAMETERS.start_date,
  end_date: SCOPE_PARAMETERS.end_date,
};

const PREVIEWED = new Body(
  {
    rule_id: textField({ ...ITEM_ID, description: "A stored rule: itself, or what the filters replace." }),
    built_in: wordField(text("A built-in rule, whether it counts yet or not.", { enum: BUILT_IN_RULES.map(({ id }) => id) })),
    filters: RULE_FILTERS,
    ...RULE_BOUNDS,
  },
  {},
);

interface Previewed {
  /** The other applied rules of the site. */
  readonly others: readonly LensRule[];
  readonly rule: LensRule;
}

/** 400 for a rule that could not be applied, 404 for one that the site does not have. */
function previewedOf(siteId: SiteId, body: JsonObject, { services: { rules, config } }: Context): Previewed {
  const { rule_id: id, built_in: builtIn, filters, ...bounds } = PREVIEWED.parse(body);
  const loose = Object.keys(RULE_BOUNDS).find((name) => filters === null && fieldOf(body, name) !== null);
  if (loose !== undefined) throw invalidInput(`Field "${loose}" needs the field "filters"`);
  const known = BUILT_IN_RULES.find((each) => each.id === builtIn);
  const stored = id === null ? null : rules.existing(siteId, id).fields;
  const own = filters === null ? stored : ruleTextOf({ filters, ...bounds });
  const others = appliedOf(rules.of(siteId).filter((each) => each.id !== id));
  if (known && own === null) return { others: appliedRules(others, config), rule: known.rule };
  if (known || own === null) throw invalidInput('The body must have "filters", "rule_id" or "built_in"');
  checkApplied(own, others, config);
  return { others: appliedRules(others, config), rule: filterRuleOf(own, config) };
}

/** A report as a reader would ask for it for whom these rules are applied. */
function prepared(report: Report, rules: readonly LensRule[], own: Readonly<Record<string, string>>, context: Context) {
  const given = new Query(context.url);
  const reader: Reader = { ...context.reader, rulesOf: () => rules };
  // With an interval, a range may be as long as that of any report.
  const values: Readonly<Record<string, string>> = { interval: "month", ...own };
  return report.prepare((name) => values[name] ?? (Object.hasOwn(PARAMETERS, name) ? given.text(name) : null), reader);
}

const resultIn = async <Result>(asked: PreparedReport, context: Context): Promise<Result> =>
  JSON.parse(coveredAnswer(await resultOf(asked, context)).json) as Result;

/** The report of those visits alone for which the conditions hold, too. Not cached: hardly anybody asks for it again. */
function ofPart({ query, ...asked }: PreparedReport, conditions: readonly Condition[], { reader }: Context): PreparedReport {
  const ofSite = conditionsOn(conditions, () => reader.goalsOf(query.scope.siteId));
  return { ...asked, cacheKey: null, query: { ...query, scope: narrowed(query.scope, ofSite) } };
}

type Series = readonly { readonly date: string; readonly sessions: number }[];

type Countries = readonly { readonly value: string; readonly sessions: number }[];

/** A day, or a month. */
interface Bucket {
  readonly date: string;
  readonly visits: number;
  readonly leftOut: number;
}

/** Reports are asked one after the other, and those of all visits may be kept from before: visits may have come in between. */
const atMost = (found: number, most: number): number => Math.min(found, most);

const bucketsOf = (visits: Series, leftOut: Series): readonly Bucket[] =>
  visits.map(({ date, sessions: all }, i) => ({ date, visits: all, leftOut: atMost(leftOut[i]?.sessions ?? 0, all) }));

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const sumsOf = (buckets: readonly Bucket[]) => ({
  visits: sumOf(buckets.map(({ visits }) => visits)),
  left_out: sumOf(buckets.map(({ leftOut }) => leftOut)),
});

/** Days or months as months. */
function monthsOf(buckets: readonly Bucket[]) {
  const months = new Map<string, Bucket[]>();
  for (const bucket of buckets) {
    const month = bucket.date.slice(0, "YYYY-MM".length);
    months.set(month, [...(months.get(month) ?? []), bucket]);
  }
  return Array.from(months, ([month, ofMonth]) => ({ month, ...sumsOf(ofMonth) }));
}

/** An event of any of the site's goals; null without a goal. */
function meetsAnyGoal(siteId: SiteId, { reader }: Context): Condition | null {
  const names = reader.goalsOf(siteId).map(({ fields: { name } }) => name);
  return names.length === 0 ? null : { dimension: "goal", test: { kind: "is", values: names }, isNegated: false };
}

/**
 * One query after the other: a preview takes one slot at a time. Those of all visits are answered as the reports themselves are. What is
 * left out is counted, not subtracted: a difference of two answers would have the visits that came in between.
 */
export const postRulePreview: Handler = async (request, context) => {
  const { site_id: siteId } = new Query(context.url).parse(PARAMETERS);
  requireAdminOf(siteId, context);
  const { others, rule } = previewedOf(siteId, await readJson(request), context);
  const asked = await prepared(main, others, {}, context);
  const { range } = asked.query.scope;
  const before = await resultIn<object>(asked, context);

  const isLeftOut = isLeftOutBy(rule);
  const byDay = { interval: range.dayCount > RANGE_DAYS_MAX ? "month" : "day" };
  const series = await prepared(sessionTimeseries, others, byDay, context);
  const visits = await resultIn<Series>(series, context);
  const buckets = bucketsOf(visits, await resultIn<Series>(ofPart(series, [isLeftOut], context), context));
  const sums = sumsOf(buckets);
  const leavesOut = sums.left_out > 0;

  const after = leavesOut ? await resultIn<object>(await prepared(main, [...others, rule], {}, context), context) : before;
  const all = await prepared(sessions, others, {}, context);
  async function countLeftOut(condition: Condition): Promise<number> {
    const part = ofPart(all, [isLeftOut, condition], context);
    return atMost((await resultIn<{ readonly total_sessions: number }>(part, context)).total_sessions, sums.left_out);
  }
  // A visit with proof of a person is none that such a rule names, and an event of a goal is proof.
  const mayHaveProof = leavesOut && !("conditions" in rule && rule.sparesPeople);
  const isConversion = mayHaveProof ? meetsAnyGoal(siteId, context) : null;
  const byCountry = { dimension: "countries", columns: "sessions", sort: "sessions:desc", limit: String(RULE_COUNTRIES_MAX) };
  const countries = ofPart(await prepared(breakdown, others, byCountry, context), [isLeftOut], context);

  return jsonReply({
    ...{ site_id: siteId, start_date: range.firstDay, end_date: range.lastDay, ...sums },
    left_out_with_proof: mayHaveProof ? await countLeftOut(SHOWS_PERSON) : 0,
    left_out_converted: isConversion === null ? 0 : await countLeftOut(isConversion),
    first_date: buckets.find(({ leftOut }) => leftOut > 0)?.date ?? null,
    months: monthsOf(buckets),
    countries: (leavesOut ? await resultIn<Countries>(countries, context) : []).map(({ value, sessions: leftOut }) => ({
      country: value,
      left_out: atMost(leftOut, sums.left_out),
    })),
    series: buckets.map(({ date, visits: ofBucket, leftOut }) => ({ date, before: ofBucket, after: ofBucket - leftOut })),
    before,
    after,
  });
};

// Description in the OpenAPI document

const LEFT_OUT = count("How many of them the rule leaves out.");

const SCHEMAS = {
  PreviewedRule: PREVIEWED.schema,
  RulePreview: closed({
    site_id: text("The site."),
    start_date: DAY,
    end_date: DAY,
    visits: count("The visits of these dates that count without the rule."),
    left_out: LEFT_OUT,
    left_out_with_proof: count(
      "How many of those left out show proof of a person: they are no bounce, have an outbound click, or meet a goal.",
    ),
    left_out_converted: count("How many of those left out have an event that meets a goal of the site."),
    first_date: orNull(text("The first date of `series` with visits that are left out. Null without any.", { format: "date" })),
    months: list(
      "Oldest first.",
      closed({
        month: text("The month, YYYY-MM.", { pattern: "^[0-9]{4}-[0-9]{2}$" }),
        visits: count("Visits that begin in it."),
        left_out: LEFT_OUT,
      }),
    ),
    countries: list(
      "Where visits that are left out come from, most first.",
      closed({
        country: text("The code of the country; `(unknown)` if it was not recorded."),
        left_out: count("Visits that are left out."),
      }),
      { maxItems: RULE_COUNTRIES_MAX },
    ),
    series: list(
      `Visits by day, or by month if the range has more than ${RANGE_DAYS_MAX} days; oldest first.`,
      closed({ date: DAY, before: count("Visits without the rule."), after: count("Visits with it.") }),
    ),
    before: reference("Headline"),
    after: reference("Headline"),
  }),
};

const OPERATIONS = {
  "POST /api/stats/rule-preview": {
    operationId: "previewRule",
    summary: "What a rule of a site leaves out",
    description:
      "The body has `filters` with their bounds, `rule_id` of a stored rule, or `built_in`. With `rule_id` and `filters`, these replace the " +
      "stored ones. Nothing is stored. `before` and `after` are what `/api/stats/main` answers without and with the rule.",
    parameters: documented(PARAMETERS),
    requestBody: jsonBody("PreviewedRule", BODY_BYTES_MAX),
    answers: { 200: answer("What the rule leaves out.", "RulePreview") },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input:
        "A parameter is missing or invalid, the body is not JSON, a field is unknown or breaks its rule, or the rule cannot be applied.",
      too_many_requests: "The maximum number of stats queries is running.",
      request_timeout: "The result was not computed within the time limit.",
      unavailable: "The query engine has too little memory for the range at the moment.",
      not_found: "The site has no rule with this id.",
      extension_missing: "The required behavioral extension is not loaded.",
    },
  },
} satisfies Operations;

export const RULE_PREVIEW_API = { tag: "Rules", schemas: SCHEMAS, operations: OPERATIONS } as const;
