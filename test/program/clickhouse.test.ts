/** The built program with `engine = clickhouse`: what it accepts is in its next answer, and soon in those of others. */
import { expect, it } from "vitest";
import { EVENTS_TABLE, clickhouseOfFile } from "../support/clickhouse-server.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

const clickhouse = clickhouseOfFile();

async function start() {
  const { url, username, password, database: makeDatabase, query } = clickhouse();
  const database = await makeDatabase();
  const server = await startServer({
    dataFolder: await tempFolder(),
    environment: {
      ...{ SVC_ENGINE: "clickhouse", SVC_CLICKHOUSE_URL: url, SVC_CLICKHOUSE_DATABASE: database, SVC_CLICKHOUSE_USER: username },
      ...(password !== "" && { SVC_CLICKHOUSE_PASSWORD: password }),
      // By it, nothing would be flushed.
      ...{ SVC_FLUSH_INTERVAL_SECS: "3600", SVC_CACHE_TTL_SECS: "0" },
    },
  });
  const send = async (pathname: string) => {
    const body = JSON.stringify({ d: "site.test", n: "pageview", u: `https://site.test${pathname}` });
    const response = await fetch(`${server.origin}/api/event`, { method: "POST", headers: { "user-agent": CHROME_WINDOWS }, body });
    expect(response.status).toBe(202);
  };
  const pagesOf = async (siteId: string) => {
    const response = await fetch(`${server.origin}/api/stats/breakdown/pages?site_id=${siteId}&limit=100`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { value: string }[]).map(({ value }) => value).sort();
  };
  const inClickhouse = async () => Number(await query(`SELECT count() FROM ${EVENTS_TABLE}`, { database }));
  return { server, send, pagesOf, inClickhouse };
}

it("an accepted event is in the next answer of the program, and soon in ClickHouse", async () => {
  const { server, send, pagesOf, inClickhouse } = await start();
  expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
  expect(await pagesOf("site.test")).toEqual([]);
  const sent: string[] = [];
  for (let i = 0; i < 10; i++) {
    sent.push(`/page/${i}`);
    await send(`/page/${i}`);
    expect(await pagesOf("site.test")).toEqual(sent);
  }
  await send("/last");
  await expect.poll(inClickhouse).toBe(11);
  expect(await server.stop()).toBe(0);
});
