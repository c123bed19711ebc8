/** The same events in DuckDB and in ClickHouse: every report and export must have the same status and bytes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { createClickhouseTarget } from "../support/clickhouse-target.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { reportsOf, type Asked, type Parameters } from "./asked-reports.ts";
import { condition } from "./conditions.ts";
import { SITES, history, withPeriods, type History } from "./histories.ts";
import { parametersOf, question, type Question } from "./questions.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

/** Fewer, because each run asks every report of two services. */
const RUNS = Math.ceil(PROPERTY_RUNS / 24);

const clickhouse = clickhouseOfFile();

/** A question that most events of a history are in. */
const wide: fc.Arbitrary<Question> = fc.record({
  siteId: fc.constant(SITES[0]),
  days: fc.constantFrom("12mo", "30d").map((period) => ({ kind: "period" as const, period })),
  conditions: fc.oneof(
    fc.constant([]),
    condition.map((only) => [{ ...only, isNegated: true }]),
  ),
});

/** Each report of any question, and of a wide one. */
const questionsOf = (past: History) =>
  fc.tuple(fc.record({ scope: question, asked: reportsOf(past) }), fc.record({ scope: wide, asked: reportsOf(past) }));

const played = fc.record({ past: history, rotationDays: fc.constantFrom(1, 1, 7, 90) }).chain(({ past, rotationDays }) =>
  fc.record({
    past: fc.constant(withPeriods(past, rotationDays)),
    rotationDays: fc.constant(rotationDays),
    questions: questionsOf(past),
  }),
);

async function play({ nowMs, steps: past }: History, target: InProcessTarget): Promise<void> {
  await target.advance(nowMs - target.nowMs());
  for (const { events, afterwards } of past) {
    for (const event of events) await target.services.eventStore.append(event);
    if (afterwards.endsWith("flush")) await target.flush();
  }
}

/** A whole response, with what tells two of them apart. */
async function responseOf(target: InProcessTarget, path: string) {
  const response = await target.fetch(path);
  return { path, status: response.status, body: await response.text() };
}

function pathOf([endpoint, own]: Asked, scope: Parameters): string {
  const { filters, site_id = "" } = scope;
  const undated = { site_id, ...(filters !== undefined && { filters }) };
  return `/api/stats/${endpoint}?${new URLSearchParams({ ...(endpoint === "realtime" ? undated : scope), ...own }).toString()}`;
}

describe("DuckDB and ClickHouse", () => {
  it(
    "DuckDB and ClickHouse give the same responses to every report and export of the same events",
    async () => {
      const holds = fc.asyncProperty(played, async ({ past, rotationDays, questions }) => {
        const environment = {
          SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays),
          SVC_SESSION_WINDOW_MINUTES: String(past.sessionWindowMinutes),
          SVC_REALTIME_WINDOW_MINUTES: String(past.realtimeWindowMinutes),
        };
        const targets = [await createInProcessTarget(environment), await createClickhouseTarget(clickhouse(), environment)] as const;
        for (const target of targets) await play(past, target);
        for (const { scope, asked } of questions) {
          for (const each of asked) {
            const path = pathOf(each, parametersOf(scope, past.nowMs));
            const [expected, actual] = [await responseOf(targets[0], path), await responseOf(targets[1], path)];
            expect(actual).toEqual(expected);
          }
        }
        for (const target of targets) await target.close();
      });
      // To shrink a failure would take hundreds of runs.
      await fc.assert(holds, { numRuns: RUNS, endOnFailure: true });
    },
    PROPERTY_TIMEOUT_MS,
  );
});
