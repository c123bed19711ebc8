/** The overview in workerd: exact figures, and no work for objects of sites without new events. */
import { afterAll, expect, it } from "vitest";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { erase } from "../support/erasure-requests.ts";
import { getStats, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { workerdTargets, type WorkerdTarget } from "../support/workerd-target.ts";

const makeTarget = workerdTargets();
afterAll(() => makeTarget.closeAll());

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

interface Overview {
  readonly sites: readonly { readonly current_visitors: number; readonly visitors: number; readonly previous_visitors: number }[];
}

async function figuresOf(target: WorkerdTarget, headers: RequestHeaders = {}) {
  const asking = { ...target, fetch: (path: string) => target.fetch(path, { headers }) };
  const { sites } = await getStats<Overview>(asking, "overview", { period: "day" });
  return sites.map(({ current_visitors: current, visitors, previous_visitors: previous }) => [current, visitors, previous]);
}

/** Two sites with a visit each at noon, whose objects have ended after an overview. */
async function makeIdle(cacheSecs: string): Promise<WorkerdTarget> {
  const target = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: cacheSecs });
  for (const site of ["a.test", "b.test"]) await record(target, wireEvent(site), visitor(1));
  await target.report();
  await figuresOf(target);
  await target.evict();
  return target;
}

it("the overview in workerd starts no object of a site without new events, whose metrics change with the time", async () => {
  const target = await makeIdle("0");
  const starts = await target.starts();
  expect(await figuresOf(target)).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ]);
  target.pass(6 * MINUTE_MS);
  expect(await figuresOf(target)).toEqual([
    [0, 1, 0],
    [0, 1, 0],
  ]);
  expect(await target.starts()).toBe(starts);
  await target.close();
});

it("the overview in workerd asks all objects once on a new day, and from then on only the object of a site with a new event", async () => {
  const target = await makeIdle("0");
  target.pass(WEEK_MS - MINUTE_MS);
  const starts = await target.starts();
  expect(await figuresOf(target)).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
  expect(await target.starts()).toBe(starts + 2);
  await target.evict();
  target.pass(2 * MINUTE_MS);
  await record(target, wireEvent("b.test"), visitor(1));
  await record(target, wireEvent("b.test"), visitor(2));
  for (let i = 0; i < 3; i++)
    expect(await figuresOf(target)).toEqual([
      [0, 0, 1],
      [2, 2, 1],
    ]);
  expect(await target.starts()).toBe(starts + 3);
  await target.evict();
  expect((await figuresOf(target))[1]).toEqual([2, 2, 1]);
  await target.close();
});

it("the overview in workerd asks objects that get events once in cache_ttl_secs, for visitors and current visitors", async () => {
  const target = await makeIdle("300");
  await record(target, wireEvent("b.test"), visitor(2));
  expect((await figuresOf(target))[1]).toEqual([1, 1, 0]);
  target.pass(5 * MINUTE_MS);
  expect((await figuresOf(target))[1]).toEqual([2, 2, 0]);
  await target.close();
});

it("the overview in workerd knows of events whose object ended without a report", async () => {
  const target = await makeIdle("0");
  await record(target, wireEvent("b.test"), visitor(2));
  await target.evict({ reported: false });
  expect((await figuresOf(target))[1]).toEqual([2, 2, 0]);
  await target.evict();
  expect((await figuresOf(target))[1]).toEqual([2, 2, 0]);
  await target.close();
});

it("the overview in workerd contains no erased events, even within cache_ttl_secs", async () => {
  const target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "300" });
  const session = await logIn(target);
  for (const site of ["a.test", "b.test"]) {
    await target.fetch(`/api/sites/${site}`, { method: "PUT", headers: session, body: "{}" });
    await record(target, wireEvent(site), visitor(1));
  }
  expect(await figuresOf(target, session)).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ]);
  const today = new Date(target.nowMs()).toISOString().slice(0, 10);
  expect(await erase(target, session, "b.test", today, today)).toMatchObject({ db_records_deleted: 1 });
  expect(await figuresOf(target, session)).toEqual([
    [1, 1, 0],
    [0, 0, 0],
  ]);
  await target.close();
});
