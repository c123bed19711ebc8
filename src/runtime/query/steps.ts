/** Steps of funnels and sequences: `page:/pricing` or `event:signup`, as they are written and as SQL (decisions, "Statistics"). */
import { invalidInput, type AppError } from "../errors.ts";
import { exceedsChars } from "../ingest/code-points.ts";
import { CONDITIONS_MAX, STEP_CHARS_MAX } from "../config/limits.ts";
import { PAGEVIEW } from "../config/names.ts";
import { column, joinSql, matchesPattern, sql, textCode, type SqlText } from "./sql.ts";

export interface Step {
  readonly kind: "page" | "event";
  /** A path, in which `*` stands for any characters, or an event's name. */
  readonly value: string;
}

/** As it is written, commas aside. */
export const stepName = ({ kind, value }: Step): string => `${kind}:${value}`;

/** A path of pages; 400 where no page can have it. `what` begins the message: which parameter, and where in it. */
function checkPage(value: string, what: string): void {
  if (!/^[/*]/.test(value)) throw invalidInput(`${what} must name a path that begins with "/", or with the wildcard "*"`);
}

function checkLength(value: string, what: string): void {
  if (exceedsChars(value, STEP_CHARS_MAX)) throw invalidInput(`${what} must be at most ${STEP_CHARS_MAX} characters`);
}

/** A comma is written %2C; where a path has these very characters, their percent sign is written %25. */
const unescaped = (text: string): string =>
  text.replaceAll(/%(25)?(2C)/gi, (_, percent?: string, code?: string) => (percent === undefined ? "," : `%${code}`));

function parseStep(text: string, what: string): Step {
  const [, kind, value = ""] = /^(page|event):(.*)$/s.exec(unescaped(text)) ?? [];
  if (kind !== "page" && kind !== "event") {
    throw invalidInput(`${what} must be page:<path> or event:<name>, with %2C for a comma in it; it is "${text}"`);
  }
  if (value === "") throw invalidInput(`${what} has nothing behind "${kind}:"`);
  checkLength(value, what);
  if (kind === "page") checkPage(value, what);
  return { kind, value };
}

/** The steps of a parameter; 400 with the number of the one that is wrong. */
export function parseSteps(parameter: string, text: string | null, stepsMin: number): readonly Step[] {
  const wrong = (rule: string): AppError => invalidInput(`"${parameter}" ${rule}`);
  if (text === null) throw wrong("is required");
  const steps = text === "" ? [] : text.split(",");
  if (steps.length < stepsMin || steps.length > CONDITIONS_MAX) {
    throw wrong(`must list ${stepsMin} to ${CONDITIONS_MAX} of page:<path> and event:<name>, joined by commas; there are ${steps.length}`);
  }
  return steps.map((step, i) => parseStep(step, `"${parameter}": number ${i + 1}`));
}

/** The page of a parameter, as a step has it; 400 where it is none. */
export function parsePage(parameter: string, text: string | null): Step {
  if (text === null) throw invalidInput(`"${parameter}" is required`);
  checkLength(text, `"${parameter}"`);
  checkPage(text, `"${parameter}"`);
  return { kind: "page", value: text };
}

/** Whether an event is the step. */
export function stepSql({ kind, value }: Step): SqlText {
  if (kind === "event") return sql`${column("event_name")} = ${textCode(value)}`;
  const path = value.includes("*") ? matchesPattern("pathname", value) : sql`${column("pathname")} = ${textCode(value)}`;
  return sql`(${column("event_name")} = ${textCode(PAGEVIEW)} AND ${path})`;
}

/** A BIGINT with a bit for each step that an event is, the first the lowest. */
export const stepBitsSql = (steps: readonly Step[]): SqlText =>
  joinSql(
    steps.map((step, i) => sql`CASE WHEN ${stepSql(step)} THEN CAST(${2 ** i} AS BIGINT) ELSE 0 END`),
    " + ",
  );
