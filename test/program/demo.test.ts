/** `sandpiper --demo`: the server takes events at once, and the demo site appears, is brought up to date, and stays without the option. */
import { expect, it } from "vitest";
import { runProgram } from "../support/run-process.ts";
import { MAIN_PATH } from "../support/built.ts";
import { CLOCK_AHEAD_MS } from "../support/fixed-clock.ts";
import { clockFlags, startServer, type ServerProcess } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

/** At midnight, the oldest day would expire. */
const PROGRAM = [process.execPath, ...clockFlags(CLOCK_AHEAD_MS), MAIN_PATH];

const demoEvents = async (server: ServerProcess): Promise<number> => {
  const response = await fetch(`${server.origin}/api/stats/main?site_id=demo.example&period=12mo`);
  return ((await response.json()) as { total_events: number }).total_events;
};

it("--demo makes the demo site while events are accepted, and logs its address", async () => {
  const dataFolder = await tempFolder();
  const environment = { SVC_CACHE_TTL_SECS: "0", SVC_RETENTION_DAYS: "100" };
  const server = await startServer({ dataFolder, environment, command: [...PROGRAM, "serve", "--demo"] });
  const statuses: number[] = [];
  for (let event = 0; event < 20; event++) {
    const response = await fetch(`${server.origin}/api/event`, {
      method: "POST",
      headers: { "user-agent": CHROME_WINDOWS },
      body: JSON.stringify({ d: "own.example", n: "pageview", u: "/" }),
    });
    statuses.push(response.status);
  }
  expect(new Set(statuses)).toEqual(new Set([202]));
  await server.logged(/the demo site is ready/);
  expect(server.log()).toContain(`url="${server.origin}/?site=demo.example"`);
  const made = await demoEvents(server);
  expect(made).toBeGreaterThan(20_000);
  expect(await server.stop()).toBe(0);

  const verified = await runProgram(["verify", "--data-dir", dataFolder]);
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);

  const restarted = await startServer({ dataFolder, environment, command: [...PROGRAM, "--demo"] });
  await restarted.logged(/the demo site is ready/);
  expect(await demoEvents(restarted)).toBeGreaterThanOrEqual(made);
  expect(await restarted.stop()).toBe(0);
  const without = await startServer({ dataFolder, environment, clockAheadMs: CLOCK_AHEAD_MS });
  expect(await demoEvents(without)).toBeGreaterThanOrEqual(made);
  expect(await without.stop()).toBe(0);
});

it("a stop while the demo site is made ends the process in time and leaves the rest to the next start", async () => {
  const dataFolder = await tempFolder();
  const command = [...PROGRAM, "--demo"];
  const environment = { SVC_RETENTION_DAYS: "100" };
  const server = await startServer({ dataFolder, environment, command });
  expect(await server.stop()).toBe(0);
  const next = await startServer({ dataFolder, environment, command });
  await next.logged(/the demo site is ready/);
  expect(await demoEvents(next)).toBeGreaterThan(20_000);
  expect(await next.stop()).toBe(0);
});
