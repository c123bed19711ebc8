/** Compares every behavioral endpoint with the model, over random histories, ranges and filters. */
import fc from "fast-check";
import { describe, it } from "vitest";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { FUNNEL_MODES } from "../../src/runtime/query/behavioral/window-funnel.ts";
import {
  flowOf,
  funnelOf,
  retentionFiguresOf,
  sequencesOf,
  sessionPagesOf,
  sessionsFiguresOf,
  stepName,
  type Step,
} from "./behavioral-figures-model.ts";
import { spelled, type PatternPart } from "./behavioral-model.ts";
import { TEXTS, history } from "./histories.ts";
import { playHistory } from "./played-history.ts";
import { parametersOf, question, scopeOf } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const MINUTE_MS = 60_000;

/** A path, whole or with some of it left open. */
const page: fc.Arbitrary<string> = fc
  .tuple(TEXTS.pages, fc.constantFrom("whole", "whole", "begin", "end", "all"), fc.nat({ max: 3 }))
  .map(([path, kept, length]) => {
    const characters = [...path];
    if (kept === "begin") return `${characters.slice(0, length).join("")}*`;
    if (kept === "end") return `*${characters.slice(-length).join("")}`;
    return kept === "all" ? "*" : path;
  })
  .filter((path) => /^[/*]/.test(path));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: page.map((value): Step => ({ kind: "page", value })) },
  { weight: 1, arbitrary: TEXTS.events.filter((value) => value !== "").map((value): Step => ({ kind: "event", value })) },
);

const listed = (steps: readonly Step[]): string => steps.map((one) => stepName(one).replaceAll(",", "%2C")).join(",");

const CONDITIONS = 2;

const condition = fc.integer({ min: 1, max: CONDITIONS }).map((number): PatternPart => ({ kind: "condition", number }));
const between: fc.Arbitrary<PatternPart[]> = fc.oneof(
  fc.constantFrom<PatternPart[]>([], [{ kind: "star" }]),
  fc
    .record({
      kind: fc.constant("time" as const),
      operator: fc.constantFrom("<=" as const, ">" as const),
      seconds: fc.constantFrom(0, 60, 1800, 86_400),
    })
    .map((time): PatternPart[] => [time]),
);
const pattern = fc.tuple(condition, between, condition).map(([first, parts, second]) => [first, ...parts, second]);

const questions = fc.record({
  sessions: question,
  pages: question,
  funnel: question,
  sequences: question,
  retention: question,
  flow: question,
  steps: fc.array(step, { minLength: 2, maxLength: 3 }),
  window: fc.constantFrom<readonly [string, number]>(
    ["1 second", 1000],
    ["30 minutes", 30 * MINUTE_MS],
    ["1 day", 1440 * MINUTE_MS],
    ["52 weeks", 524_160 * MINUTE_MS],
  ),
  modes: fc.subarray([...FUNNEL_MODES]),
  conditions: fc.array(step, { minLength: CONDITIONS, maxLength: CONDITIONS }),
  pattern,
  weeks: fc.constantFrom(2, 4, 32),
  page,
  direction: fc.constantFrom("forward" as const, "backward" as const),
  repeats: fc.constantFrom("keep" as const, "skip" as const),
  limit: fc.constantFrom(1, 3, 100),
});

/** Visitors of the histories are the same for ever. */
const ENDLESS_IDS = { SVC_VISITOR_SALT_ROTATION_DAYS: "3650" };

export function describeBehavioralFigures(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("the behavioral reports", () => {
    it(
      "behavioral reports equal the model for sessions and their pages, funnels, sequences, retention and flow",
      async () => {
        const holds = fc.asyncProperty(history, questions, async (past, { window: [window, windowMs], ...asked }) => {
          const { events, expectAnswer, close } = await playHistory(makeTarget, past, ENDLESS_IDS);
          const { nowMs } = past;
          const gapMs = past.sessionWindowMinutes * MINUTE_MS;
          const limit = String(asked.limit);
          const pagesScope = scopeOf(asked.pages, past);
          await expectAnswer(
            "sessions",
            parametersOf(asked.sessions, nowMs),
            sessionsFiguresOf(events, scopeOf(asked.sessions, past), gapMs),
          );
          const pagesParameters = { ...parametersOf(asked.pages, nowMs), limit };
          await expectAnswer("breakdown/entry-pages", pagesParameters, sessionPagesOf(events, pagesScope, gapMs, 0, asked.limit));
          await expectAnswer("breakdown/exit-pages", pagesParameters, sessionPagesOf(events, pagesScope, gapMs, -1, asked.limit));
          await expectAnswer(
            "funnel",
            { ...parametersOf(asked.funnel, nowMs), steps: listed(asked.steps), window, modes: asked.modes.join(",") },
            funnelOf(events, scopeOf(asked.funnel, past), asked.steps, { windowMs, modes: asked.modes }),
          );
          await expectAnswer(
            "sequences",
            { ...parametersOf(asked.sequences, nowMs), conditions: listed(asked.conditions), pattern: asked.pattern.map(spelled).join("") },
            sequencesOf(events, scopeOf(asked.sequences, past), asked.conditions, asked.pattern),
          );
          await expectAnswer(
            "retention",
            { ...parametersOf(asked.retention, nowMs), weeks: String(asked.weeks) },
            {
              cohorts: retentionFiguresOf(events, scopeOf(asked.retention, past), asked.weeks),
              identity_supports_cohorts: true,
              caveat: null,
            },
          );
          const { page: flowPage, direction, repeats } = asked;
          const flowParameters = { ...parametersOf(asked.flow, nowMs), page: flowPage, direction, repeats, limit };
          const flow = flowOf(events, scopeOf(asked.flow, past), gapMs, asked);
          await expectAnswer("flow", flowParameters, flow.rows);
          await expectAnswer("flow", { ...flowParameters, with_ends: "true" }, flow);
          await close();
        });
        // Fewer, because each history gets eight requests.
        await fc.assert(holds, runsOf(runs, 5));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
