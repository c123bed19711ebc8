/** What guests may read of dictionaries for the relations of a query, and how many steps their tests may take. */
import { describe, expect, it } from "vitest";
import { EngineSites } from "../../../../../src/runtime/engine/duckdb/engine-sites.ts";
import { QueryRelations } from "../../../../../src/runtime/engine/duckdb/query-relations.ts";
import { QueryTests } from "../../../../../src/runtime/engine/duckdb/test-matches.ts";
import { TooManyStepsError, type PropertiesWanted } from "../../../../../src/runtime/engine/engine.ts";
import { VIEWER_TEST_STEPS_MAX } from "../../../../../src/runtime/config/report-limits.ts";
import type { SiteId } from "../../../../../src/storage/event.ts";

const SITE = "example.com" as SiteId;
const BLOCK = 1;

function makeWorld() {
  const statements: string[] = [];
  const options = { queryNumber: 1, run: (statement: string) => statements.push(statement), insert: () => {} };
  const sites = new EngineSites(options);
  const site = sites.open(SITE);
  site.props.addBlock(BLOCK);
  const relationsOf = (properties: Omit<PropertiesWanted, "bytesMax">) => {
    const query = {
      siteId: SITE,
      blocks: [BLOCK],
      sql: "",
      parameters: [],
      properties: { ...properties, bytesMax: 1_000_000 },
      isGuest: true,
    };
    return new QueryRelations(query, new QueryTests([]), null, { ...options, sites });
  };
  return { site, relationsOf };
}

describe("the relations of a guest's query", () => {
  it("with properties have no maximum of steps without a search", async () => {
    const { site, relationsOf } = makeWorld();
    const props = site.props.of(BLOCK);
    const chars = 1_000_000;
    for (let i = 0; i * chars <= VIEWER_TEST_STEPS_MAX; i++) props?.codeOf(JSON.stringify({ plan: String(i).padEnd(chars) }));
    await expect(relationsOf({ key: null }).read(async () => {})).resolves.toBeUndefined();
    await expect(relationsOf({ key: null, search: "plan" }).read(async () => {})).rejects.toThrow(TooManyStepsError);
  });
});
