/**
 * Queries over far more events than fit into the engine's memory: compares every response with that of a program with enough
 * memory, and measures time, retries and the memory of the process. Exits with code 1 if a response differs.
 *
 *   node test/bench/chunks.mjs [engine_memory_mb] [events] [days]
 */
import { buildBenchProgram, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { SITE, provideEvents } from "./generate-events.mjs";
import { mebibytes, printTable, progress, whole } from "./table.mjs";

const MEMORY_MB = Number(process.argv[2] ?? 256);
const EVENTS = Number(process.argv[3] ?? 60_000_000);
const DAYS = Number(process.argv[4] ?? 365);

const DAY_MS = 86_400_000;
const LOOK_MS = 200;
/** The number of concurrent requests of the dashboard. */
const CONCURRENT = 4;
const ATTEMPTS_MAX = 100;

const dayOf = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);
const RANGE = `site_id=${SITE}&start_date=${dayOf(Date.now() - DAYS * DAY_MS)}&end_date=${dayOf(Date.now())}`;

const STEPS = "page:/articles/*,page:/articles/0/a-title-of-usual-length,event:Signup";
const QUERIES = [
  "main?",
  "main?compare=previous_period",
  "timeseries?",
  "session-timeseries?",
  "breakdown/pages?limit=1000",
  "breakdown/cities?limit=1000",
  "breakdown/sources?limit=100",
  "breakdown/entry-pages?limit=100",
  "breakdown/exit-pages?limit=100",
  "breakdown/browsers?filters=countries==AA",
  "goals?",
  "properties?",
  "property-values?key=step",
  "revenue?",
  "sessions?",
  `funnel?steps=${encodeURIComponent(STEPS)}`,
  `sequences?steps=${encodeURIComponent(STEPS)}`,
  "retention?weeks=4",
  "flow?page=/articles/0/a-title-of-usual-length",
  "export?kind=daily",
  "export?kind=raw&limit=20000",
  "export?kind=raw&limit=20000&filters=events==Purchase;countries==AB",
];

/**
 * Repeats a request until it succeeds: a query that timed out (408) resumes where it stopped.
 * @param {string} origin @param {string} query
 */
async function fetchUntilDone(origin, query) {
  const startMs = performance.now();
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
    const response = await fetch(`${origin}/api/stats/${query}&${RANGE}`.replace("?&", "?"));
    const text = await response.text();
    if (response.status === 200) return { text, attempts, ms: performance.now() - startMs };
    if (response.status !== 408) throw new Error(`${query}: ${response.status} ${text}`);
  }
  throw new Error(`${query}: no response after ${ATTEMPTS_MAX} attempts`);
}

/** @param {string} origin */
async function engineBytes(origin) {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^svc_engine_memory_bytes (\S+)/m.exec(text)?.[1]);
}

/** Samples the engine's memory; `stop` returns the peak. @param {string} origin */
function watchEngine(origin) {
  let peak = 0;
  const timer = setInterval(() => {
    engineBytes(origin).then(
      (bytes) => {
        peak = Math.max(peak, bytes);
      },
      () => {},
    );
  }, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

/** @param {string} folder @param {Record<string, string>} environment @param {number} concurrent */
async function runAll(folder, environment, concurrent) {
  const server = await startProgram(folder, environment);
  await untilIdle(server);
  const { rss: rssBefore } = await server.memory();
  const watch = watchEngine(server.origin);
  /** @type {Map<string, { text: string, attempts: number, ms: number }>} */
  const responses = new Map();
  const left = [...QUERIES];
  const startMs = performance.now();
  const runNext = async () => {
    for (let query = left.shift(); query !== undefined; query = left.shift()) {
      const response = await fetchUntilDone(server.origin, query);
      progress(`${query}: ${Math.round(response.ms)} ms, ${response.attempts} attempts`);
      responses.set(query, response);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, runNext));
  const secs = (performance.now() - startMs) / 1000;
  const again = performance.now();
  await fetchUntilDone(server.origin, QUERIES[0] ?? "");
  const againMs = performance.now() - again;
  const peakBytes = watch.stop();
  const { peakRss } = await server.memory();
  const cpuSecs = await server.cpuSecs();
  await server.stop();
  return { responses, secs, cpuSecs, againMs, peakBytes, rssBefore, peakRss };
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, EVENTS, DAYS);
  const runs = [
    { name: "enough memory", ...(await runAll(folder, { SVC_ENGINE_MEMORY_MB: "3072", SVC_REQUEST_TIMEOUT_SECS: "3600" }, 1)) },
    {
      name: `${MEMORY_MB} MB, ${CONCURRENT} at a time`,
      ...(await runAll(folder, { SVC_ENGINE_MEMORY_MB: String(MEMORY_MB) }, CONCURRENT)),
    },
  ];
  const [right, ...others] = runs;
  for (const { name, responses } of others) {
    for (const [query, { text }] of responses) {
      if (text === right?.responses.get(query)?.text) continue;
      console.log(`${name}: different response to ${query}`);
      process.exitCode = 1;
    }
  }
  printTable(
    `${QUERIES.length} queries over ${whole(EVENTS)} events of ${DAYS} days`,
    ["", "all responses", "CPU time", "attempts, at most", "main again", "engine, peak", "process, before", "process, peak"],
    runs.map(({ name, responses, secs, cpuSecs, againMs, peakBytes, rssBefore, peakRss }) => [
      name,
      `${Math.round(secs)} s`,
      `${Math.round(cpuSecs)} s`,
      `${Math.max(...[...responses.values()].map(({ attempts }) => attempts))}`,
      `${Math.round(againMs)} ms`,
      mebibytes(peakBytes),
      mebibytes(rssBefore),
      mebibytes(peakRss),
    ]),
  );
});
