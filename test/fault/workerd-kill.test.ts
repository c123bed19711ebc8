/** Invariant 1 of the architecture in workerd: acknowledged events count exactly once after kills during continuous flushes. */
import { expect, it } from "vitest";
import { startWorkerd } from "../support/workerd/runtime.ts";
import { expectEachOnce } from "./each-once.ts";
import { EventLoad, type LoadEvent } from "./event-load.ts";

/** How many events are acknowledged in each life before it ends. */
const LIVES = [3, 400, 60, 700];

/** A site's pages all fit into one breakdown. */
const SITE_PAGES = 900;
const BREAKDOWN_ROWS_MAX = 1000;

const eventOf = (count: number): LoadEvent => ({ siteId: `site-${Math.floor(count / SITE_PAGES)}.test`, pathname: `/e/${count}` });

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as T;
}

/** The events of each page of every site. */
async function pagesOf(origin: string): Promise<Map<string, number>> {
  const { sites } = await getJson<{ sites: string[] }>(`${origin}/api/sites`);
  const pages = new Map<string, number>();
  for (const site of sites) {
    const url = `${origin}/api/stats/breakdown/pages?site_id=${site}&period=7d&limit=${BREAKDOWN_ROWS_MAX}`;
    const rows = await getJson<{ value: string; events: number }[]>(url);
    expect(rows.length).toBeLessThan(BREAKDOWN_ROWS_MAX);
    for (const { value, events } of rows) pages.set(`${site}${value}`, events);
  }
  return pages;
}

it(`workerd has every acknowledged event exactly once after ${LIVES.length} kills`, async () => {
  const runtime = await startWorkerd({
    script: "worker.js",
    environment: { SVC_FLUSH_EVENT_COUNT: "40", SVC_FLUSH_INTERVAL_SECS: "0.1", SVC_CACHE_TTL_SECS: "0" },
  });
  const load = new EventLoad(eventOf);
  for (const events of LIVES) {
    const enough = load.acknowledgedMore(events);
    const posting = load.start(runtime.origin());
    await Promise.race([enough, posting.ended]);
    await runtime.crash();
    await posting.ended;
    expectEachOnce(await pagesOf(runtime.origin()), load, () => true);
  }
  expect(load.refusals).toEqual([]);
  expect(load.acknowledged.length).toBeGreaterThan(1000);
  // Otherwise no flush was ever interrupted.
  expect((await runtime.bucketKeys()).length).toBeGreaterThan(LIVES.length);
  await runtime.close();
}, 400_000);
