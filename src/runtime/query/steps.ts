/**
 * Steps of funnels and sequences, and pages: their notation in requests, `page:/pricing` or `event:signup`, joined by commas, and their SQL
 * (docs/http-api.md, "Funnel").
 */
import { CONDITIONS_MAX } from "../../shared/limits.ts";
import { unescapeCommas } from "../../shared/steps.ts";
import { exceedsChars } from "../../shared/text.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import { STEP_CHARS_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { text } from "../base/json-schema.ts";
import { type Parameter, type ParameterDescription, required } from "./parameters.ts";
import { column, joinSql, sql, type SqlText, textCode } from "./sql.ts";
import { matchesPattern } from "./text-conditions.ts";

export interface Step {
  readonly kind: "page" | "event";
  /** A path, where `*` matches any characters, or an event name. */
  readonly value: string;
}

/** The notation of a step, with commas unescaped. */
export const stepName = ({ kind, value }: Step): string => `${kind}:${value}`;

/** True if an event matches the step. */
export function stepSql({ kind, value }: Step): SqlText {
  if (kind === "event") return sql`${column("event_name")} = ${textCode(value)}`;
  const path = value.includes("*") ? matchesPattern("pathname", value) : sql`${column("pathname")} = ${textCode(value)}`;
  return sql`(${column("event_name")} = ${textCode(PAGEVIEW)} AND ${path})`;
}

/** A BIGINT with a bit for each test that an event passes; the first test is the lowest bit. */
export const bitsSql = (tests: readonly SqlText[]): SqlText =>
  joinSql(
    tests.map((test, i) => sql`CASE WHEN ${test} THEN CAST(${2 ** i} AS BIGINT) ELSE 0 END`),
    " + ",
  );

/** The bits of the steps that an event matches. */
export const stepBitsSql = (steps: readonly Step[]): SqlText => bitsSql(steps.map(stepSql));

/** 400 if no page can have the path. `what` starts the message: the parameter, and the position in it. */
function checkPage(value: string, what: string): void {
  if (!/^[/*]/.test(value)) throw invalidInput(`${what} must name a path that begins with "/", or with the wildcard "*"`);
}

function checkLength(value: string, what: string): void {
  if (exceedsChars(value, STEP_CHARS_MAX)) throw invalidInput(`${what} must be at most ${STEP_CHARS_MAX} characters`);
}

function parseStep(written: string, what: string): Step {
  const [, kind, value = ""] = /^(page|event):(.*)$/s.exec(unescapeCommas(written)) ?? [];
  if (kind !== "page" && kind !== "event") {
    throw invalidInput(`${what} must be page:<path> or event:<name>, with %2C for a comma in it; it is "${written}"`);
  }
  if (value === "") throw invalidInput(`${what} has nothing behind "${kind}:"`);
  checkLength(value, what);
  if (kind === "page") checkPage(value, what);
  return { kind, value };
}

/** 400 with the number of the invalid step. */
export function parseSteps(value: string, name: string, stepsMin: number): readonly Step[] {
  const steps = value === "" ? [] : value.split(",");
  if (steps.length < stepsMin || steps.length > CONDITIONS_MAX) {
    throw invalidInput(
      `"${name}" must list ${stepsMin} to ${CONDITIONS_MAX} of page:<path> and event:<name>, joined by commas; there are ${steps.length}`,
    );
  }
  return steps.map((step, i) => parseStep(step, `"${name}": number ${i + 1}`));
}

/** Unbounded in characters, so that RE2 can compile it in a list: nested repetitions may come to 1,000 at most. */
const STEP = "(?:page:[/*][^,]*|event:[^,]+)";

/** The notation of steps, for descriptions. */
export const STEP_NOTATION =
  "`page:<path>` is a page view of that path, where `*` matches any characters; `event:<name>` is an event of that name. " +
  "Steps are joined by commas; a comma in a step is written `%2C`, and a literal `%2C` is written `%252C`, before the encoding of the URL. " +
  `A path or name has at most ${STEP_CHARS_MAX} characters.`;

/** A list of steps in the OpenAPI document. `meaning` is the description of its schema. */
export const stepListDescription = (description: string, meaning: string, stepsMin: number): ParameterDescription => ({
  description,
  schema: text(meaning, { pattern: `^${STEP}(?:,${STEP}){${stepsMin - 1},${CONDITIONS_MAX - 1}}$` }),
  example: "page:/pricing,event:signup",
});

/** The path of a page, where `*` matches any characters. */
export const PAGE: Parameter<Step> = required(
  {
    description: "The path of a page, where `*` matches any characters.",
    schema: text("A path.", { pattern: "^[/*]", maxLength: STEP_CHARS_MAX }),
    example: "/",
  },
  (value, name) => {
    checkLength(value, `"${name}"`);
    checkPage(value, `"${name}"`);
    return { kind: "page", value };
  },
);
