/**
 * Both engines on the same events: every report with DuckDB, without rollups and with, and with ClickHouse, right after a start and
 * again. All responses must be the same bytes: otherwise it shows the differences and exits with code 1. Also measures how fast
 * `sandpiper reindex` fills ClickHouse, bytes on disk, and memory.
 *
 *   node test/bench/clickhouse.mjs [million events] [rounds]
 *
 * It needs `npm ci --prefix test/clickhouse`, or a server: `CLICKHOUSE_URL=http://user:password@host:8123`. The data are in the
 * folder for temporary files (`TMPDIR`): 1 GB for 20 million events.
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { CLICKHOUSE_NAME, fill, startClickhouse } from "./clickhouse-process.mjs";
import { REPORTS, Responses, timeCold, timeWarm } from "./clickhouse-reports.mjs";
import { bytesBelow, makeRollups } from "./dashboard-runs.mjs";
import { provideEvents } from "./generate-events.mjs";
import { duration, mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 5) * 1_000_000;
const ROUNDS = Number(process.argv[3] ?? 3);
const DAYS = 365;

/** No query may run into a timeout. */
const ENVIRONMENT = { SVC_REQUEST_TIMEOUT_SECS: "3600" };

/** @typedef {import("./clickhouse-process.mjs").Clickhouse} Clickhouse */
/** @typedef {import("./clickhouse-reports.mjs").Contender} Contender */

/** @param {{ duckdb: string, rolled: string, clickhouse: string }} folders @param {Clickhouse} clickhouse @returns {readonly Contender[]} */
const contendersIn = (folders, clickhouse) => [
  { name: "DuckDB", start: () => startProgram(folders.duckdb, { ...ENVIRONMENT, SVC_ROLLUPS: "false" }) },
  { name: "DuckDB with rollups", start: () => startProgram(folders.rolled, ENVIRONMENT) },
  {
    name: "ClickHouse",
    async start() {
      await clickhouse.forget();
      return startProgram(folders.clickhouse, { ...ENVIRONMENT, ...clickhouse.environment });
    },
  },
];

/** @param {readonly Contender[]} contenders @param {Responses} responses */
async function timeAllCold(contenders, responses) {
  /** @type {Map<string, number[]>} */
  const times = new Map();
  for (const report of REPORTS.filter(({ isCold }) => isCold)) {
    times.set(report.name, await timeCold(contenders, report, responses));
    progress(`${report.name}, right after a start: ${times.get(report.name)?.map(duration).join(", ")}`);
  }
  return times;
}

/** @param {readonly Contender[]} contenders @param {Clickhouse} clickhouse @param {Responses} responses */
async function timeAllWarm(contenders, clickhouse, responses) {
  const servers = [];
  for (const { name, start } of contenders) servers.push({ name, ...(await start()) });
  /** @type {Map<string, number[]>} */
  const times = new Map();
  for (const report of REPORTS) {
    times.set(report.name, await timeWarm(servers, report, ROUNDS, responses));
    progress(`${report.name}: ${times.get(report.name)?.map(duration).join(", ")}`);
  }
  const memory = [];
  for (const { name, memory: ofProcess } of servers) memory.push({ name: `program, ${name}`, ...(await ofProcess()) });
  memory.push({ name: "ClickHouse", ...(await clickhouse.memory()) });
  for (const { stop } of servers) await stop();
  return { times, memory };
}

const HEADS = ["", "DuckDB, first", "again", "rollups, first", "again", "ClickHouse, first", "again", "of DuckDB", "million events/s"];

/** @param {Map<string, number[]>} cold @param {Map<string, number[]>} warm */
const reportRows = (cold, warm) =>
  REPORTS.map(({ name, paths }) => {
    const [first = [], again = []] = [cold.get(name), warm.get(name)];
    const cells = again.flatMap((ms, i) => [first[i] === undefined ? "" : duration(first[i]), duration(ms)]);
    const [duckdb = Number.NaN, , clickhouse = Number.NaN] = again;
    const rate = paths.length === 1 ? (EVENTS / 1000 / clickhouse).toFixed(1) : "";
    return [name, ...cells, twoDecimals(clickhouse / duckdb), rate];
  });

const DATA = `${whole(EVENTS)} events in ${DAYS} days`;
const perEvent = (/** @type {number} */ bytes) => `${(bytes / EVENTS).toFixed(1)}`;

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const folders = { duckdb: join(folder, "duckdb"), rolled: join(folder, "rolled"), clickhouse: join(folder, "node") };
  await provideEvents(folders.duckdb, EVENTS, DAYS);
  for (const copy of [folders.rolled, folders.clickhouse]) await cp(folders.duckdb, copy, { recursive: true });
  const parquetBytes = await bytesBelow(join(folders.duckdb, "events"));
  const clickhouse = await startClickhouse(folder);
  const filled = await fill(folders.clickhouse, clickhouse, EVENTS);
  const { secs: rollupSecs } = await makeRollups(folders.rolled);

  const responses = new Responses();
  const contenders = contendersIn(folders, clickhouse);
  const cold = await timeAllCold(contenders, responses);
  const { times: warm, memory } = await timeAllWarm(contenders, clickhouse, responses);
  const rollupBytes = await bytesBelow(join(folders.rolled, "rollups"));
  await clickhouse.stop();

  printTable(
    `reports over ${DATA}: the first response after a start, and the median of ${ROUNDS} more; ${CLICKHOUSE_NAME}`,
    HEADS,
    reportRows(cold, warm),
  );
  printTable(
    `storage of ${DATA}`,
    ["", "bytes an event", "made in", "events/s", "MB/s of Parquet"],
    [
      ["Parquet files", perEvent(parquetBytes), "", "", ""],
      ["rollups", perEvent(rollupBytes), duration(rollupSecs * 1000), "", ""],
      [
        "ClickHouse, by `sandpiper reindex`",
        perEvent(filled.bytes),
        `${duration(filled.secs * 1000)}, ${duration(filled.cpuSecs * 1000)} of CPU`,
        whole(EVENTS / filled.secs),
        (parquetBytes / 1e6 / filled.secs).toFixed(1),
      ],
    ],
  );
  printTable(
    "resident memory after the reports",
    ["", "resident", "peak"],
    memory.map(({ name, rss, peakRss }) => [name, mebibytes(rss), mebibytes(peakRss)]),
  );
  for (const difference of responses.differences) console.log(`a response differs: ${difference}`);
  if (responses.differences.length > 0) process.exitCode = 1;
});
