/** The service when the behavioral extension fails to load, here because a function name is taken. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckdb } from "../../adapters/node/threads/duckdb-instance.ts";
import { crippledEngine } from "../support/crippled-engine.ts";
import { engineModule } from "../support/engine-module.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { ONE_VIEW_WITHOUT_SESSIONS, getBreakdown, getMain, record, wireEvent } from "../support/requests.ts";
import { BEHAVIORAL_ENDPOINTS, askStats } from "../support/stats-requests.ts";

import type { Target } from "../support/target.ts";
import { CRIPPLED_CLASSES } from "../support/workerd/control.ts";
import { workerdTargets } from "../support/workerd-target.ts";

const SITE = "missing.test";

const LOGGED = "the behavioral extension could not be loaded; all else works without it";

interface Crippled {
  readonly target: Target;
  /** All that was logged. */
  log(): string;
  close(): Promise<void>;
}

async function inProcess(): Promise<Crippled> {
  const target = await createInProcessTarget({}, { engine: crippledEngine(await openDuckdb(await engineModule())) });
  return { target, log: () => JSON.stringify(target.log.lines), close: () => target.close() };
}

async function inWorkerd(): Promise<Crippled> {
  const makeTarget = workerdTargets(CRIPPLED_CLASSES);
  return { target: await makeTarget(), log: () => makeTarget.log(), close: () => makeTarget.closeAll() };
}

const getDetails = async (target: Target): Promise<unknown> => (await target.fetch("/health/detailed")).json();

describe.each([
  ["in-process", inProcess],
  ["workerd", inWorkerd],
])("when the behavioral extension fails to load, %s,", (_host, start) => {
  let crippled: Crippled;
  let target: Target;
  beforeAll(async () => {
    crippled = await start();
    ({ target } = crippled);
    await record(target, wireEvent(SITE, { u: "/a" }));
  });
  afterAll(() => crippled.close());

  it("/health/detailed says so from the first request on, and so does the log", async () => {
    const missing = { status: "ok", behavioral_extension_loaded: false, behavioral_version: null };
    expect(await getDetails(target)).toMatchObject(missing);
    expect(await getDetails(target)).toMatchObject(missing);
    await expect.poll(() => crippled.log()).toContain(LOGGED);
    const [, reason, ...more] = crippled.log().split(LOGGED);
    expect(reason).toContain("sessionize");
    expect(more).toEqual([]);
  });

  it.each(BEHAVIORAL_ENDPOINTS)("/api/stats/%s gives 503 and refers to the log", async (endpoint, parameters) => {
    const response = await askStats(target, endpoint, { site_id: SITE, ...parameters });
    expect(response.headers.has("retry-after")).toBe(false);
    expect({ status: response.status, reason: response.headers.get("x-behavioral-extension"), body: await response.json() }).toEqual({
      status: 503,
      reason: "missing",
      body: { error: "This needs the behavioral extension, which could not be loaded; the server's log tells why" },
    });
  });

  it("columns of sessions in breakdowns give 503, and other columns do not", async () => {
    const breakdown = (columns: string) => askStats(target, "breakdown/pages", { site_id: SITE, columns, currency: "EUR" });
    const response = await breakdown("revenue,bounce_rate");
    expect([response.status, response.headers.get("x-behavioral-extension")]).toEqual([503, "missing"]);
    expect((await breakdown("revenue,comparison")).status).toBe(200);
  });

  it("core metrics are unaffected, and session metrics are null", async () => {
    expect(await getMain(target, SITE)).toEqual(ONE_VIEW_WITHOUT_SESSIONS);
    expect(await getBreakdown(target, SITE, "pages")).toEqual([{ value: "/a", visitors: 1, pageviews: 1, events: 1 }]);
  });
});
