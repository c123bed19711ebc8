/**
 * A process that is killed while it makes or removes the demo site: the next one finds a part of it, which one request completes and
 * another removes, and no other site has changed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

const DEMO = "demo.example";
const OWN = "own.example";
/** Of a shorter demo. */
const DAYS = 121;
/** More than the few minutes of a test have. */
const EVENTS_OF_MINUTES = 50;

async function getJson<T>(server: ServerProcess, path: string): Promise<T> {
  const response = await fetch(server.origin + path);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const eventsOf = async (server: ServerProcess, siteId: string): Promise<number> =>
  (await getJson<{ total_events: number }>(server, `/api/stats/main?site_id=${siteId}&period=12mo`)).total_events;

const ask = async (server: ServerProcess, method: "POST" | "DELETE"): Promise<number> => {
  const response = await fetch(`${server.origin}/api/demo`, { method });
  const { events_added = 0, events_removed = 0 } = (await response.json()) as { events_added?: number; events_removed?: number };
  expect(response.status).toBe(200);
  return events_added + events_removed;
};

it("a kill while the demo site is made or removed leaves a part that is completed or removed by the next request", async () => {
  const dataFolder = await tempFolder();
  const daysOf = () => readdir(join(dataFolder, `events/site_id=${DEMO}`)).catch((): string[] => []);
  const start = () =>
    startServer({
      dataFolder,
      environment: { SVC_JOURNAL_FSYNC: "always", SVC_CACHE_TTL_SECS: "0", SVC_RETENTION_DAYS: String(DAYS - 1) },
    });
  /** Resolves when the number of days has passed this. */
  const untilDays = async (isReached: (days: number) => boolean) => {
    while (!isReached((await daysOf()).length)) await sleep(1);
  };

  let server = await start();
  await fetch(`${server.origin}/api/event`, {
    method: "POST",
    headers: { "user-agent": CHROME_WINDOWS },
    body: JSON.stringify({ d: OWN, n: "pageview", u: "/" }),
  });

  /** Kills the process once this many days are there, or on their way. */
  const killWhileMaking = async (days: number) => {
    const making = fetch(`${server.origin}/api/demo`, { method: "POST" }).catch(() => null);
    await untilDays((count) => count >= days);
    await server.kill9();
    await making;
    server = await start();
    expect((await daysOf()).length).toBeLessThan(DAYS);
    expect(await eventsOf(server, OWN)).toBe(1);
  };

  await killWhileMaking(1);
  await ask(server, "DELETE");
  expect(await getJson(server, "/api/sites")).toEqual({ sites: [OWN] });
  expect(await daysOf()).toEqual([]);
  await killWhileMaking(60);
  expect(await eventsOf(server, DEMO)).toBeGreaterThan(0);
  // The next process may have gone on by itself.
  await ask(server, "POST");
  const all = await eventsOf(server, DEMO);
  expect(all).toBeGreaterThan(20_000);
  expect((await daysOf()).length).toBe(DAYS);

  // Once while it is removed.
  const removing = fetch(`${server.origin}/api/demo`, { method: "DELETE" }).catch(() => null);
  await untilDays((count) => count < DAYS - 5);
  await server.kill9();
  await removing;
  server = await start();
  const left = await eventsOf(server, DEMO);
  expect(left).toBeLessThan(all);
  const removed = await ask(server, "DELETE");
  expect(removed).toBeGreaterThanOrEqual(left);
  expect(removed - left).toBeLessThan(EVENTS_OF_MINUTES);
  expect(await getJson(server, "/api/sites")).toEqual({ sites: [OWN] });
  expect(await daysOf()).toEqual([]);
  expect(await readdir(join(dataFolder, "rollups")).catch(() => [])).not.toContain(`site_id=${DEMO}`);

  // What is made again is the same year.
  const again = await ask(server, "POST");
  expect(again).toBeGreaterThanOrEqual(all);
  expect(again - all).toBeLessThan(EVENTS_OF_MINUTES);
  expect(await eventsOf(server, OWN)).toBe(1);
  expect(await server.stop()).toBe(0);
});
