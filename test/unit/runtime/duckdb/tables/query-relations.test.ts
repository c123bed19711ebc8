/** What guests may read of dictionaries for the relations of a query, and how many steps their tests may take. */
import { describe, expect, it } from "vitest";
import { EngineSites } from "../../../../../src/runtime/duckdb/tables/event-tables.ts";
import { QueryRelations, QueryTests, type ReadableCodes } from "../../../../../src/runtime/duckdb/tables/query-runner.ts";
import type { PropertiesWanted } from "../../../../../src/runtime/duckdb/engine.ts";
import { TooManyStepsError } from "../../../../../src/runtime/query/text-matching.ts";
import { GUEST_TEST_STEPS_MAX } from "../../../../../src/runtime/base/config/report-limits.ts";
import type { SiteId } from "../../../../../src/storage/event.ts";

const SITE = "example.com" as SiteId;
const BLOCK = 1;

function makeWorld() {
  const statements: string[] = [];
  const options = { queryNumber: 1, run: (statement: string) => statements.push(statement), insert: () => {} };
  const sites = new EngineSites(options);
  const site = sites.open(SITE);
  site.props.addBlock(BLOCK);
  const relationsOf = (properties: Omit<PropertiesWanted, "bytesMax">, readable: ReadableCodes | null = null) => {
    const query = {
      siteId: SITE,
      blocks: [BLOCK],
      sql: "",
      parameters: [],
      properties: { ...properties, bytesMax: 1_000_000 },
      isGuest: true,
    };
    return new QueryRelations(query, new QueryTests([]), readable, { ...options, sites });
  };
  return { site, relationsOf };
}

describe("the relations of a guest's query", () => {
  it("with properties have no maximum of steps without a search", async () => {
    const { site, relationsOf } = makeWorld();
    const props = site.props.of(BLOCK);
    const chars = 1_000_000;
    for (let i = 0; i * chars <= GUEST_TEST_STEPS_MAX; i++) props?.codeOf(JSON.stringify({ plan: String(i).padEnd(chars) }));
    await expect(relationsOf({ key: null }).read(async () => {})).resolves.toBeUndefined();
    await expect(relationsOf({ key: null, search: "plan" }).read(async () => {})).rejects.toThrow(TooManyStepsError);
  });

  it("let other queries compute while readable texts are looked up, and look up no others", async () => {
    const { site, relationsOf } = makeWorld();
    const codes = Int32Array.from({ length: 30_000 }, (_, i) => site.props.of(BLOCK)?.codeOf(`{"a":${i}}`) ?? 0);
    const pausesWith = async (props: Int32Array) => {
      let pauses = 0;
      const exempt = new QueryTests([]);
      const relations = relationsOf(
        { key: null, search: "a" },
        { texts: new Int32Array(0), props, arrivals: { from: 0, codes: new Int32Array(0) }, exempt },
      );
      await relations.read(async () => void pauses++);
      return pauses;
    };
    expect(await pausesWith(codes)).toBe(3);
    expect(await pausesWith(codes.slice(0, 1))).toBe(0);
  });
});
