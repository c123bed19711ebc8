/** Compares the functions of the behavioral extension, over rows of the engine, with direct implementations of their documentation. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventRows } from "../../src/runtime/query/behavioral/visitor-events.ts";
import { applyPerVisitor, type VisitorFunction } from "../../src/runtime/query/behavioral/visitor-function.ts";
import { FUNNEL_MODES, type FunnelMode } from "../../src/runtime/query/behavioral/window-funnel.ts";
import type { Engine } from "../../src/runtime/duckdb/engine.ts";
import type { SqlRow } from "../../src/runtime/query/sql.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { siteId } from "../support/stored-event.ts";
import {
  retentionOf,
  sequenceCountOf,
  sequenceMatchOf,
  sessionsOf,
  spelled,
  windowFunnelOf,
  type MetHistory,
  type PatternPart,
} from "./behavioral-model.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

/** The number of runs for each function and mode. */
const HISTORIES = PROPERTY_RUNS * 5;

/** Questions that these are spread over; each is asked about all its histories at once. */
const QUESTIONS = Math.ceil(HISTORIES / 20);

const silent = new AbortController().signal;

const sampled = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] => fc.sample(arbitrary, { numRuns: count });

/** Few conditions and small distances in time, so that much meets, repeats, ties and lies exactly on limits. */
const history = (conditions: number): fc.Arbitrary<MetHistory> =>
  fc
    .array(
      fc.record({
        afterMs: fc.constantFrom(0, 0, 1, 499, 500, 1000, 1000, 2000),
        conditions: fc.uniqueArray(fc.nat({ max: conditions - 1 }), { maxLength: 3 }),
      }),
      { maxLength: 8 },
    )
    .map((events) => {
      let atMs = 0;
      return events.map(({ afterMs, conditions: met }) => ({ atMs: (atMs += afterMs), conditions: met }));
    });

const maskOf = (conditions: readonly number[]): number => conditions.reduce((mask, condition) => mask + 2 ** condition, 0);

/** A relation of the histories, a row an event: `visitor_id`, `timestamp`, `arrival`, `met`. Visitors are numbered as they come. */
function rowsSql(histories: readonly MetHistory[]): string {
  const rows = histories.flatMap((events, visitor) =>
    events.map(({ atMs, conditions }, arrival) => `(${visitor}, ${atMs}, ${arrival}, ${maskOf(conditions)})`),
  );
  return `(SELECT * FROM (VALUES (-1, 0, 0, 0), ${rows.join(", ")}) AS listed(visitor_id, timestamp, arrival, met) WHERE visitor_id >= 0)`;
}

describe("a behavioral function", { timeout: PROPERTY_TIMEOUT_MS }, () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngineShare();
  });
  afterAll(() => engine.close());

  const about = { siteId: siteId("nobody.test"), blocks: [], parameters: [] };
  const ask = (sql: string): Promise<SqlRow[]> => engine.query({ ...about, sql }, silent);

  /** The function's value for each history. Those without events are nobody's, so they have none. */
  async function valuesOf(perVisitor: VisitorFunction, histories: readonly MetHistory[]): Promise<number[]> {
    const sql = `
      SELECT CAST(visitor_id AS BIGINT) AS visitor_id, CAST(timestamp AS BIGINT) AS timestamp, CAST(met AS BIGINT) AS met
      FROM ${rowsSql(histories)} AS rows ORDER BY visitor_id, timestamp, arrival`;
    const { visitor_id, timestamp, met } = await engine.queryColumns({ ...about, sql }, silent);
    const rows = { visitorIds: visitor_id, timestampsMs: timestamp, met } as EventRows;
    return Array.from(await applyPerVisitor(perVisitor, rows, () => Promise.resolve()), Number);
  }

  const inhabited = (count: number, conditions: number): MetHistory[] =>
    sampled(history(conditions), count * 2)
      .filter(({ length }) => length > 0)
      .slice(0, count);

  const MODE_SETS: readonly (readonly FunnelMode[])[] = [
    [],
    ...FUNNEL_MODES.map((mode) => [mode]),
    ["strict_order", "strict_deduplication"],
    ["strict_order", "strict_increase"],
    ["strict_order", "strict_once"],
    ["strict_deduplication", "strict_once"],
    ["strict_increase", "strict_once"],
    FUNNEL_MODES,
  ];

  it.each(MODE_SETS.map((modes) => [modes.join(", ") || "no mode", modes] as const))(
    "window_funnel equals the model with %s",
    async (_name, modes) => {
      const questions = sampled(
        fc.record({ steps: fc.integer({ min: 2, max: 4 }), windowMs: fc.constantFrom(0, 500, 999, 1000, 2000, 60_000) }),
        QUESTIONS,
      );
      const histories = inhabited(HISTORIES, 4);
      for (const [i, asked] of questions.entries()) {
        const part = histories.filter((_, at) => at % QUESTIONS === i);
        const question = { ...asked, modes };
        const wanted = part.map((past) => windowFunnelOf(past, question));
        const clipped = part.map((past) =>
          past.map((event) => ({ ...event, conditions: event.conditions.filter((condition) => condition < asked.steps) })),
        );
        const found = await valuesOf({ name: "window_funnel", ...question }, clipped);
        expect(found.map((value, at) => ({ question, history: part[at], value }))).toEqual(
          wanted.map((value, at) => ({ question, history: part[at], value })),
        );
      }
    },
  );

  const CONDITIONS = 3;

  const between: fc.Arbitrary<PatternPart> = fc.oneof(
    fc.constant<PatternPart>({ kind: "star" }),
    fc.record({
      kind: fc.constant("time" as const),
      operator: fc.constantFrom("<" as const, "<=" as const, ">" as const, ">=" as const, "==" as const),
      seconds: fc.integer({ min: 0, max: 3 }),
    }),
  );
  const wanted: fc.Arbitrary<PatternPart> = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: CONDITIONS }).map((number): PatternPart => ({ kind: "condition", number })) },
    { weight: 1, arbitrary: fc.constant<PatternPart>({ kind: "any" }) },
  );
  const star: fc.Arbitrary<PatternPart[]> = fc.constantFrom([], [], [], [{ kind: "star" }]);
  const pattern: fc.Arbitrary<readonly PatternPart[]> = fc
    .tuple(star, wanted, fc.array(fc.tuple(fc.array(between, { maxLength: 2 }), wanted), { maxLength: 3 }), star)
    .map(([before, first, rest, after]) => [...before, first, ...rest.flatMap(([parts, next]) => [...parts, next]), ...after]);

  it.each([
    ["sequence_match", (past: MetHistory, parts: readonly PatternPart[]) => Number(sequenceMatchOf(past, parts, CONDITIONS))],
    ["sequence_count", (past: MetHistory, parts: readonly PatternPart[]) => sequenceCountOf(past, parts, CONDITIONS)],
  ] as const)("%s equals the model", async (name, modelOf) => {
    const histories = inhabited(HISTORIES * 4, CONDITIONS);
    for (const [i, parts] of sampled(pattern, QUESTIONS * 4).entries()) {
      const part = histories.filter((_, at) => at % (QUESTIONS * 4) === i);
      const text = parts.map(spelled).join("");
      const found = await valuesOf({ name, pattern: text, conditions: CONDITIONS }, part);
      expect(found.map((value, at) => ({ text, history: part[at], value }))).toEqual(
        part.map((past) => ({ text, history: past, value: modelOf(past, parts) })),
      );
    }
  });

  it("retention equals the model", async () => {
    const histories = inhabited(HISTORIES, 4);
    const rows = await ask(
      `SELECT visitor_id, retention(bit_or(met)) AS kept FROM ${rowsSql(histories)} AS rows GROUP BY visitor_id ORDER BY visitor_id`,
    );
    expect(rows.map(({ kept }) => kept)).toEqual(
      histories.map((past) => maskOf(retentionOf(past, 4).flatMap((kept, i) => (kept ? [i] : [])))),
    );
  });

  it.each([0, 499, 500, 1000, 60_000])("sessionize equals the model with a gap of %d ms", async (gapMs) => {
    const histories = inhabited(HISTORIES, 4);
    const rows = await ask(`
      SELECT sessionize(visitor_id, timestamp, arrival, pause, ${gapMs})::INTEGER AS session
      FROM (SELECT *, pause_before(visitor_id, timestamp, timestamp, arrival) AS pause FROM ${rowsSql(histories)} AS rows) AS spaced
      ORDER BY visitor_id, timestamp, arrival`);
    expect(rows.map(({ session }) => session)).toEqual(histories.flatMap((past) => sessionsOf(past, gapMs)));
  });

  it.each([
    ["sequence_next_node", 1],
    ["sequence_previous_node", -1],
  ])("%s equals the model", async (name, step) => {
    const histories = inhabited(HISTORIES, 4);
    const rows = await ask(`
      SELECT ${name}(met, visitor_id, timestamp, arrival) AS node FROM ${rowsSql(histories)} AS rows ORDER BY visitor_id, timestamp, arrival`);
    const neighbours = histories
      .flatMap((past) => past.map((_, i) => past[i + step]))
      .map((event) => (event ? maskOf(event.conditions) : null));
    expect(rows.map(({ node }) => node)).toEqual(neighbours);
  });
});
