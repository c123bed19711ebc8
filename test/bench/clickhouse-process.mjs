/**
 * A ClickHouse for benchmarks: the front of `test/clickhouse` in a process of its own, or the server at `CLICKHOUSE_URL`
 * (`http://user:password@host:8123`), where a database is made and dropped again.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram, startScript } from "./bench-server.mjs";
import { progress } from "./table.mjs";

const FRONT = fileURLToPath(new URL("../clickhouse/front.mjs", import.meta.url));
const SERVER = process.env["CLICKHOUSE_URL"];

/** What the tables must say about it: the engine of the front runs within Node, one query at a time. */
export const CLICKHOUSE_NAME =
  SERVER === undefined
    ? "ClickHouse as the embedded engine of `test/clickhouse`, one query at a time"
    : "the ClickHouse server at CLICKHOUSE_URL";

/** @param {string} url @param {string} sql @param {string} authorization */
async function query(url, sql, authorization) {
  const response = await fetch(url, { method: "POST", body: sql, headers: { authorization } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${sql}: ${text}`);
  return text.trim();
}

/**
 * @typedef {object} Clickhouse
 * @property {Record<string, string>} environment the program's options for it
 * @property {(sql: string) => Promise<string>} query the result as tab-separated text
 * @property {() => Promise<void>} forget drops what it has cached: the front by a restart
 * @property {() => Promise<{ rss: number, peakRss: number }>} memory in bytes
 * @property {() => Promise<number>} cpuSecs
 * @property {() => Promise<void>} stop
 */

/** @param {string} folder @returns {Promise<Clickhouse>} */
async function startFront(folder) {
  const dataFolder = join(folder, "clickhouse");
  await mkdir(dataFolder, { recursive: true });
  const start = (/** @type {string} */ port) => startScript([FRONT, dataFolder, port], {}, /^(http:\/\/\S+)$/m);
  let front = await start("0");
  const { origin } = front;
  return {
    environment: { SVC_ENGINE: "clickhouse", SVC_CLICKHOUSE_URL: origin, SVC_CLICKHOUSE_DATABASE: "bench" },
    query: (sql) => query(origin, sql, ""),
    async forget() {
      await front.stop();
      front = await start(new URL(origin).port);
    },
    memory: () => front.memory(),
    cpuSecs: () => front.cpuSecs(),
    stop: () => front.stop(),
  };
}

/** @param {string} address @returns {Clickhouse} */
function realServer(address) {
  const { origin, username, password } = new URL(address);
  const [user, secret] = [decodeURIComponent(username) || "default", decodeURIComponent(password)];
  const database = `sandpiper_bench_${process.pid}`;
  const run = (/** @type {string} */ sql) => query(origin, sql, `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`);
  return {
    environment: {
      SVC_ENGINE: "clickhouse",
      SVC_CLICKHOUSE_URL: origin,
      SVC_CLICKHOUSE_DATABASE: database,
      SVC_CLICKHOUSE_USER: user,
      ...(secret !== "" && { SVC_CLICKHOUSE_PASSWORD: secret }),
    },
    query: run,
    async forget() {
      for (const cache of ["MARK", "UNCOMPRESSED"]) await run(`SYSTEM DROP ${cache} CACHE`);
    },
    async memory() {
      const rss = Number(await run("SELECT value FROM system.asynchronous_metrics WHERE metric = 'MemoryResident'"));
      return { rss, peakRss: Number.NaN };
    },
    cpuSecs: async () => Number(await run("SELECT sum(value) / 1e6 FROM system.events WHERE event = 'OSCPUVirtualTimeMicroseconds'")),
    stop: async () => void (await run(`DROP DATABASE IF EXISTS ${database} SYNC`)),
  };
}

/** @param {string} folder for its data @returns {Promise<Clickhouse>} */
export const startClickhouse = async (folder) => (SERVER === undefined ? startFront(folder) : realServer(SERVER));

/** Rows and bytes on disk of the table of events. @param {Clickhouse} clickhouse */
async function storedIn({ environment, query: run }) {
  const database = environment["SVC_CLICKHOUSE_DATABASE"];
  const text = await run(
    `SELECT sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${database}' AND table = 'events_data'`,
  );
  const [rows = Number.NaN, bytes = Number.NaN] = text.split("\t").map(Number);
  return { rows, bytes };
}

/** Fills it with all events of a data folder. @param {string} folder @param {Clickhouse} clickhouse @param {number} events how many these are */
export async function fill(folder, clickhouse, events) {
  progress("filling ClickHouse");
  const cpuBefore = await clickhouse.cpuSecs();
  const startMs = performance.now();
  await runProgram(["reindex"], { ...clickhouse.environment, SVC_DATA_DIR: folder });
  const secs = (performance.now() - startMs) / 1000;
  const stored = await storedIn(clickhouse);
  if (stored.rows !== events) throw new Error(`ClickHouse has ${stored.rows} of ${events} events`);
  return { ...stored, secs, cpuSecs: (await clickhouse.cpuSecs()) - cpuBefore };
}
