/** A data folder that DuckDB has served moves to ClickHouse with `reindex`, and back, with equal reports and without losing an event. */
import { expect, it, onTestFinished } from "vitest";
import { MAIN_PATH } from "../support/built.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { spawnServer, startServer, type ServerProcess } from "../support/server-process.ts";
import type { Environment } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

const SITE = "a.test";

const REPORTS = ["main", "timeseries", "breakdown/pages", "breakdown/sources", "breakdown/countries", "sessions", "goals"];

const clickhouse = clickhouseOfFile();

async function send({ origin }: ServerProcess, first: number, count: number): Promise<void> {
  for (let i = first; i < first + count; i++) {
    const body = JSON.stringify({
      d: SITE,
      n: i % 5 === 0 ? "Signup" : "pageview",
      u: `https://${SITE}/${i % 7}`,
      r: "https://other.test/",
    });
    const headers = { "user-agent": `${CHROME_WINDOWS} ${i % 3}`, "content-type": "text/plain" };
    expect((await fetch(`${origin}/api/event`, { method: "POST", headers, body })).status).toBe(202);
  }
}

async function reportsOf({ origin }: ServerProcess): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const report of REPORTS) {
    const response = await fetch(`${origin}/api/stats/${report}?site_id=${SITE}&period=7d`);
    const text = await response.text();
    expect(response.status, `${report}: ${text}`).toBe(200);
    answers.push(JSON.parse(text));
  }
  return answers;
}

it("one machine changes to ClickHouse and back with equal reports", async () => {
  const dataFolder = await tempFolder();
  const { url, username, password, database } = clickhouse();
  const common: Environment = { SVC_SECRET: "the secret stays when the engine changes", SVC_CACHE_TTL_SECS: "0" };
  const withClickhouse: Environment = {
    ...common,
    SVC_ENGINE: "clickhouse",
    SVC_CLICKHOUSE_URL: url,
    SVC_CLICKHOUSE_USER: username,
    ...(password !== "" && { SVC_CLICKHOUSE_PASSWORD: password }),
    SVC_CLICKHOUSE_DATABASE: await database(),
  };
  let server: ServerProcess | null = null;
  onTestFinished(async () => {
    await server?.kill9();
  });
  const start = async (environment: Environment) => (server = await startServer({ dataFolder, environment }));

  const before = await start(common);
  await send(before, 0, 60);
  const first = await reportsOf(before);
  expect(await before.stop()).toBe(0);

  const command = spawnServer({ dataFolder, environment: withClickhouse, command: [process.execPath, MAIN_PATH, "reindex"] });
  expect((await command.exited).code, command.log()).toBe(0);
  const moved = await start(withClickhouse);
  expect(moved.log()).not.toContain("reindex");
  expect(await reportsOf(moved)).toEqual(first);
  await send(moved, 60, 40);
  const second = await reportsOf(moved);
  expect(second[0]).toMatchObject({ total_events: 100 });
  expect(await moved.stop()).toBe(0);

  const back = await start(common);
  expect(await reportsOf(back)).toEqual(second);
  expect(await back.stop()).toBe(0);
  server = null;
});
