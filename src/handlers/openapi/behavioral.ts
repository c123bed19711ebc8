/** Behavior: what visitors do in which order (decisions, "Statistics"). */
import { FUNNEL_MODES } from "../../runtime/engine/duckdb/behavioral/window-funnel.ts";
import {
  CONDITIONS_MAX,
  FLOW_ROWS_DEFAULT,
  FLOW_ROWS_MAX,
  FUNNEL_WEEKS_MAX,
  PATTERN_CHARS_MAX,
  PATTERN_EVENTS_MAX,
  RETENTION_WEEKS_DEFAULT,
  RETENTION_WEEKS_MAX,
  RETENTION_WEEKS_MIN,
  STEPS_MIN,
  STEP_CHARS_MAX,
} from "../../runtime/config/limits.ts";
import { FUNNEL_WINDOW, FUNNEL_WINDOW_DEFAULT } from "../../runtime/reports/funnel.ts";
import { FLOW_DIRECTIONS } from "../../runtime/reports/queries/flow.ts";
import type { RouteId } from "../route.ts";
import type { Operation } from "./operation.ts";
import { query } from "./parameters.ts";
import { count, text } from "./schema.ts";
import { EXTENSION_MISSING, choice, figure, rowsMax } from "./stats.ts";

const behavioral = (words: Parameters<typeof figure>[0]): Operation => {
  const { refusals, ...operation } = figure(words);
  return { ...operation, refusals: { ...refusals, ...EXTENSION_MISSING } };
};

const STEP = `(?:page:[/*][^,]{0,${STEP_CHARS_MAX - 1}}|event:[^,]{1,${STEP_CHARS_MAX}})`;

const stepList = (stepsMin: number): string => `^${STEP}(?:,${STEP}){${stepsMin - 1},${CONDITIONS_MAX - 1}}$`;

const STEP_WORDS =
  "`page:<path>` is a page view of that path, in which `*` stands for any characters; `event:<name>` is an event of that name. " +
  "They are joined by commas; a comma in a path or name is written `%2C` (in a URL, where the percent sign is encoded, `%252C`), and `%2C` in a path `%252C` (`%25252C`).";

const STEPS_EXAMPLE = "page:/pricing,event:signup";

/** Which conditions there are, and that a time stands between events, is said in words only. */
const PATTERN = /^(?:\(\?[1-9]\d?\)|\(\?t(?:<=?|>=?|==)\d{1,9}\)|\.\*?)+$/;

const MODE = `(?:${FUNNEL_MODES.join("|")})`;

export const BEHAVIORAL_OPERATIONS = {
  "GET /api/stats/sessions": behavioral({
    operationId: "getSessions",
    summary: "Visits, and what they are like on average",
    answer: "Sessions",
  }),
  "GET /api/stats/session-timeseries": behavioral({
    operationId: "getSessionTimeseries",
    summary: "Visits over time, each where it began",
    answer: "SessionSeries",
  }),
  "GET /api/stats/funnel": behavioral({
    operationId: "getFunnel",
    summary: "How many visitors take one step after the other",
    answer: "Funnel",
    parameters: [
      query("steps", {
        description: `${STEPS_MIN} to ${CONDITIONS_MAX} steps. ${STEP_WORDS}`,
        required: true,
        schema: text("Steps.", { pattern: stepList(STEPS_MIN) }),
        example: STEPS_EXAMPLE,
      }),
      query("window", {
        description: `How long after the first step the last one may come; at most ${FUNNEL_WEEKS_MAX} weeks.`,
        schema: text("A number and second, minute, hour, day or week, also with an s.", {
          pattern: FUNNEL_WINDOW.source,
          default: FUNNEL_WINDOW_DEFAULT,
        }),
        example: "2 days",
      }),
      query("modes", {
        description:
          "Joined by commas. `strict_order`: what is no step, or a later step too early, ends the search. `strict_deduplication`: a step other " +
          "than the first that comes again ends it. `strict_increase`: steps must not be at the same time. `strict_once`: an event is one step at most.",
        schema: text("No modes, or some.", { pattern: `^(?:${MODE}(?:,${MODE})*)?$` }),
        example: "strict_order,strict_once",
      }),
    ],
  }),
  "GET /api/stats/retention": behavioral({
    operationId: "getRetention",
    summary: "Which of a week's new visitors come again in later weeks",
    answer: "Retention",
    parameters: [
      query("weeks", {
        description: "How many weeks, the first one included.",
        schema: count("Weeks.", { minimum: RETENTION_WEEKS_MIN, maximum: RETENTION_WEEKS_MAX, default: RETENTION_WEEKS_DEFAULT }),
        example: 8,
      }),
    ],
  }),
  "GET /api/stats/sequences": behavioral({
    operationId: "getSequences",
    summary: "How many visitors' events follow a pattern",
    description: "Takes `steps`, or else `pattern` and `conditions`.",
    answer: "Sequences",
    parameters: [
      query("steps", {
        description: `${STEPS_MIN} to ${CONDITIONS_MAX} steps with anything between them. ${STEP_WORDS}`,
        schema: text("Steps.", { pattern: stepList(STEPS_MIN) }),
        example: STEPS_EXAMPLE,
      }),
      query("pattern", {
        description:
          "Events one right after the other among those that meet a condition: `(?1)` meets the first condition, `.` any; `.*` lets others lie " +
          "between, and so does `(?t<=3600)`, which says how many seconds the two around it are apart: with `<`, `<=`, `>`, `>=`, or `==`, which " +
          `goes by whole seconds. At most ${PATTERN_EVENTS_MAX} events and ${PATTERN_CHARS_MAX} characters.`,
        schema: text("The pattern.", { pattern: PATTERN.source }),
        example: "(?1).*(?t<=3600)(?2)",
      }),
      query("conditions", {
        description: `1 to ${CONDITIONS_MAX} conditions, written as steps are.`,
        schema: text("Conditions.", { pattern: stepList(1) }),
        example: STEPS_EXAMPLE,
      }),
    ],
  }),
  "GET /api/stats/flow": behavioral({
    operationId: "getFlow",
    summary: "Which page comes after or before a page",
    description: "In the same session, around each visitor's first view of the page.",
    answer: "Flow",
    parameters: [
      query("page", {
        description: "The path; `*` stands for any characters.",
        required: true,
        schema: text("A path.", { pattern: "^[/*]", maxLength: STEP_CHARS_MAX }),
        example: "/",
      }),
      choice("direction", "Whether to look at the page after it or before it.", FLOW_DIRECTIONS),
      rowsMax("Rows at most.", FLOW_ROWS_MAX, FLOW_ROWS_DEFAULT),
    ],
  }),
} satisfies Partial<Record<RouteId, Operation>>;
