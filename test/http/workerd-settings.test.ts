/** Settings in workerd: the registry holds them, and the object of a site has each change at once, also one that ran before or is evicted. */
import { afterAll, expect, it } from "vitest";
import { createKey, postSetup, tokenOf, withBearer, withSession } from "../support/auth-requests.ts";
import { expectError, post, record, wireEvent } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { able, type Environment, type TargetRequest } from "../support/target.ts";
import { workerdTargets } from "../support/workerd-target.ts";

const makeTarget = workerdTargets();
afterAll(() => makeTarget.closeAll());

const HOUR_MS = 3_600_000;

const day = (date: string): string => `&start_date=${date}&end_date=${date}`;

/** With an Admin key, which outlives a restart. */
async function makeOwned(environment: Environment = {}) {
  const target = await makeTarget(environment);
  const { key } = await createKey(target, withSession(await tokenOf(await postSetup(target))), "Admin");
  const fetch = (path: string, init: TargetRequest = {}) =>
    target.fetch(path, { ...init, headers: { ...init.headers, ...withBearer(key) } });
  return {
    target,
    fetch,
    async put(settings: Readonly<Record<string, unknown>>, site = "one.test"): Promise<void> {
      const headers = { "content-type": "application/json" };
      expect((await fetch(`/api/sites/${site}`, { method: "PUT", headers, body: JSON.stringify(settings) })).status).toBe(200);
    },
    async events(dates = "", site = "one.test"): Promise<unknown> {
      const response = await fetch(`/api/stats/main?site_id=${site}${dates}`);
      return ((await response.json()) as { total_events: unknown }).total_events;
    },
  };
}

it("settings in workerd: a change reaches a running object, and one that starts later", async () => {
  const { target, put, events } = await makeOwned();
  await record(target, wireEvent("one.test"));
  await put({ excluded_paths: ["/*"] });
  await post(target, wireEvent("one.test"));
  expect(await events()).toBe(1);
  await able(target, "restart")();
  await post(target, wireEvent("one.test"));
  expect(await events()).toBe(1);
  await put({});
  await record(target, wireEvent("one.test"));
  expect(await events()).toBe(2);
  await target.close();
});

it("settings in workerd: a time zone that is set before the first event counts from it on, even after a restart of the object", async () => {
  const { target, fetch, put, events } = await makeOwned();
  expect(await events()).toBe(0);
  await put({ time_zone: "Pacific/Kiritimati" });
  await record(target, wireEvent("one.test"));
  await able(target, "restart")();
  await able(target, "advance")(HOUR_MS);
  const response = await fetch("/api/stats/timeseries?site_id=one.test&start_date=2026-03-16&end_date=2026-03-16");
  expect(response.headers.get("time-zone")).toBe("Pacific/Kiritimati");
  expect(await events("&start_date=2026-03-16&end_date=2026-03-16")).toBe(1);
  await target.close();
});

it("settings in workerd: a change that cannot reach an object applies there within a minute; the object then refuses events until it knows the change", async () => {
  const { target, put, events } = await makeOwned();
  await record(target, wireEvent("one.test"));
  await target.cut();
  await put({ excluded_paths: ["/*"] });
  await target.advance(59_000);
  await record(target, wireEvent("one.test"));
  await target.advance(2000);
  const refused = await post(target, wireEvent("one.test"), { origin: "https://one.test" });
  expect(refused.headers.get("access-control-allow-origin")).toBe("https://one.test");
  await expectError(refused, 503, "cannot be reached");
  await target.join();
  await post(target, wireEvent("one.test"));
  expect(await events()).toBe(2);
  await target.close();
});

it("settings in workerd: a change that cannot reach an idle object applies to each of the events that wake it", async () => {
  const { target, put, events } = await makeOwned();
  await record(target, wireEvent("one.test"));
  await target.report();
  await target.cut();
  await put({ excluded_paths: ["/*"] });
  await target.join();
  await Promise.all(Array.from({ length: 5 }, () => post(target, wireEvent("one.test"))));
  expect(await events()).toBe(1);
  await target.close();
});

it("settings in workerd: an import starts the idle objects whose events it expires earlier, and no others", async () => {
  const { target, fetch } = await makeOwned();
  const sites = ["one.test", "two.test", "three.test"];
  for (const site of sites) await record(target, wireEvent(site));
  await target.evict();
  /** How many objects it starts. */
  const importing = async (settings: Readonly<Record<string, object>>): Promise<number> => {
    const before = await target.starts();
    const entries = sites.map((site) => ({ site_id: site, ...settings[site] }));
    const response = await fetch("/api/settings", { method: "PUT", body: JSON.stringify({ version: 1, sites: entries }) });
    expect(await response.json()).toEqual({ status: "imported", sites: 3 });
    const starts = (await target.starts()) - before;
    await target.evict();
    return starts;
  };
  expect(await importing({ "one.test": { name: "One", excluded_paths: ["/*"] } })).toBe(0);
  const changed = { "two.test": { retention_days: 2 }, "three.test": { time_zone: "Asia/Tokyo" } };
  expect(await importing(changed)).toBe(2);
  expect(await importing(changed)).toBe(0);
  await target.close();
});

it("settings in workerd: days that a shorter retention expires are deleted from a site whose object was evicted, even if it could not be reached then", async () => {
  const { target, put, events } = await makeOwned();
  await record(target, wireEvent("one.test"));
  await able(target, "flush")();
  await target.advance(5 * 24 * HOUR_MS);
  await target.evict();
  await target.cut();
  await put({ retention_days: 2 });
  await target.join();
  const recent = "&start_date=2026-03-01&end_date=2026-03-20";
  expect(await events(recent)).toBe(1);
  // The clock is trusted an hour after a step of days.
  for (let i = 0; i < 3; i++) {
    await target.advance(HOUR_MS);
    await target.report();
  }
  expect(await events(recent)).toBe(0);
  await target.close();
});

it("settings in workerd: SVC_TIME_ZONE and a site's own zone each give events around midnight their dates, before and after a restart", async () => {
  // It is noon of March 15 in UTC.
  const { target, fetch, put, events } = await makeOwned({ SVC_TIME_ZONE: "America/St_Johns" });
  await put({ time_zone: "Asia/Tokyo" }, "tokyo.test");
  const advance = able(target, "advance");
  const both = async () => {
    for (const site of ["one.test", "tokyo.test"]) await record(target, wireEvent(site), visitor(1));
  };
  const start = target.nowMs();
  const until = (iso: string) => advance(Date.parse(iso) - target.nowMs());
  await both();
  await until("2026-03-15T14:59:59.999Z");
  await both();
  await until("2026-03-15T15:00:00Z");
  await both();
  await able(target, "restart")();
  await until("2026-03-16T02:29:59Z");
  await both();
  await until("2026-03-16T02:30:00Z");
  await both();
  expect(start).toBeLessThan(Date.parse("2026-03-15T14:59:59Z"));
  const counts = async (site: string) => [await events(day("2026-03-15"), site), await events(day("2026-03-16"), site)];
  expect(await counts("one.test")).toEqual([4, 1]);
  expect(await counts("tokyo.test")).toEqual([2, 3]);
  const { unique_visitors: visitors } = (await (
    await fetch("/api/stats/main?site_id=tokyo.test&start_date=2026-03-15&end_date=2026-03-16")
  ).json()) as { unique_visitors: unknown };
  // A visitor is another one after midnight in Tokyo, and stays the same over midnight in St. John's.
  expect(visitors).toBe(2);
  await target.close();
});

it("settings in workerd: goals and other items are deleted once their object can be reached, and until then a deletion says so", async () => {
  const { target, fetch, put } = await makeOwned();
  const goals = "/api/goals?site_id=one.test";
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name: "Docs", page: "/docs" }) };
  expect((await fetch(goals, init)).status).toBe(201);
  await put({ name: "One" });
  await target.cut();
  await expectError(await fetch("/api/sites/one.test", { method: "DELETE" }), 503, "Repeat");
  await target.join();
  expect((await fetch("/api/sites/one.test", { method: "DELETE" })).status).toBe(200);
  expect(await (await fetch(goals)).json()).toEqual([]);
  await expectError(await fetch("/api/sites/one.test", { method: "DELETE" }), 404, "no settings");
  await target.close();
});
