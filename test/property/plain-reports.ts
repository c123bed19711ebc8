/** Requests for reports that no clock or time zone changes, with what the plain model answers. */
import { flowOf, funnelOf, sequencesOf, sessionPagesOf, sessionsFiguresOf, type Step } from "./behavioral-figures-model.ts";
import { dailyExportOf, goalsOf, propertiesOf, propertyValuesOf, revenueOf, type Events, type Scope } from "./model.ts";

const DAY_MS = 86_400_000;

const STEPS: readonly Step[] = [
  { kind: "page", value: "/*" },
  { kind: "event", value: "Signup" },
];
const STEP_LIST = "page:/*,event:Signup";

/** A report, its own parameters, and the response's JSON by the model. */
export type PlainReport = readonly [
  endpoint: string,
  own: Readonly<Record<string, string>>,
  bodyOf: (asked: { readonly events: Events; readonly scope: Scope; readonly gapMs: number }) => unknown,
];

export const PLAIN_REPORTS: readonly PlainReport[] = [
  ["breakdown/entry-pages", {}, ({ events, scope, gapMs }) => sessionPagesOf(events, scope, gapMs, 0, 10)],
  ["breakdown/exit-pages", {}, ({ events, scope, gapMs }) => sessionPagesOf(events, scope, gapMs, -1, 10)],
  ["sessions", {}, ({ events, scope, gapMs }) => sessionsFiguresOf(events, scope, gapMs)],
  ["goals", {}, ({ events, scope }) => goalsOf(events, scope)],
  ["properties", {}, ({ events, scope }) => propertiesOf(events, scope)],
  ["property-values", { key: "plan" }, ({ events, scope }) => propertyValuesOf(events, scope, "plan", null)],
  ["revenue", {}, ({ events, scope }) => revenueOf(events, scope)],
  ["funnel", { steps: STEP_LIST, window: "1 day" }, ({ events, scope }) => funnelOf(events, scope, STEPS, { windowMs: DAY_MS, modes: [] })],
  [
    "sequences",
    { conditions: STEP_LIST, pattern: "(?1)(?2)" },
    ({ events, scope }) =>
      sequencesOf(events, scope, STEPS, [
        { kind: "condition", number: 1 },
        { kind: "condition", number: 2 },
      ]),
  ],
  [
    "flow",
    { page: "/*" },
    ({ events, scope, gapMs }) => flowOf(events, scope, gapMs, { page: "/*", direction: "forward", repeats: "keep", limit: 10 }).rows,
  ],
  ["export", { kind: "daily", format: "json" }, ({ events, scope }) => dailyExportOf(events, scope)],
];
