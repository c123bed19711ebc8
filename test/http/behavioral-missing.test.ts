/** What the service answers when its engine cannot load the behavioral extension: here, because a name of it is taken. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckdb } from "../../adapters/node/duckdb-instance.ts";
import { DuckdbEngine } from "../../src/runtime/engine/duckdb-engine.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { getBreakdown, getMain, record, wireEvent } from "../support/requests.ts";
import { BEHAVIORAL_ENDPOINTS, askStats } from "../support/stats-requests.ts";

const SITE = "missing.test";

describe("§1 when the behavioral extension fails to load", () => {
  let target: InProcessTarget;
  beforeAll(async () => {
    const { bindings, connections } = await openDuckdb();
    const engine = new DuckdbEngine({ bindings, connections, yieldToOthers: () => new Promise((resolve) => setImmediate(resolve)) });
    bindings.runQuery(connections[0] ?? 0, "CREATE MACRO sessionize(anything) AS anything");
    target = await createInProcessTarget({}, { engine });
    await record(target, wireEvent(SITE, { u: "/a" }));
  });
  afterAll(() => target.close());

  it.each(BEHAVIORAL_ENDPOINTS)("§7 /api/stats/%s gives 503 and says where to look", async (endpoint, parameters) => {
    const response = await askStats(target, endpoint, { site_id: SITE, ...parameters });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 503,
      body: { error: "This needs the behavioral extension, which could not be loaded; the server's log tells why" },
    });
  });

  it("§1 core figures are as ever, and those of sessions null", async () => {
    expect(await getMain(target, SITE)).toEqual({
      unique_visitors: 1,
      total_pageviews: 1,
      total_events: 1,
      views_per_visitor: 1,
      total_sessions: null,
      bounce_rate: null,
      avg_visit_duration_secs: null,
      views_per_visit: null,
      behavioral_available: false,
    });
    expect(await getBreakdown(target, SITE, "pages")).toEqual([{ value: "/a", visitors: 1, pageviews: 1, events: 1 }]);
  });

  it("§4.7 the details of health and the log say so", async () => {
    expect(await (await target.fetch("/health/detailed")).json()).toMatchObject({
      status: "ok",
      behavioral_extension_loaded: false,
      behavioral_version: null,
    });
    expect(target.log.lines.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message: "the behavioral extension could not be loaded; all else works without it",
        fields: { reason: expect.stringContaining("sessionize") as unknown },
      },
    ]);
  });
});
