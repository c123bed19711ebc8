/**
 * Questions about far more events than the engine's memory holds: whether every answer is that of a program with memory enough,
 * how long it takes, how often it has to be asked, and what the process holds meanwhile. Ends with code 1 when an answer is wrong.
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
/** How many questions the dashboard has under way. */
const TOGETHER = 4;
const ATTEMPTS_MAX = 100;

const dayOf = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);
const RANGE = `site_id=${SITE}&start_date=${dayOf(Date.now() - DAYS * DAY_MS)}&end_date=${dayOf(Date.now())}`;

const STEPS = "page:/articles/*,page:/articles/0/a-title-of-usual-length,event:Signup";
const QUESTIONS = [
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
 * Asks until there is an answer: a question that takes too long is given up, and goes on where it was when it is asked again.
 * @param {string} origin @param {string} question
 */
async function answerTo(origin, question) {
  const startMs = performance.now();
  for (let asked = 1; asked <= ATTEMPTS_MAX; asked++) {
    const response = await fetch(`${origin}/api/stats/${question}&${RANGE}`.replace("?&", "?"));
    const text = await response.text();
    if (response.status === 200) return { text, asked, ms: performance.now() - startMs };
    if (response.status !== 408) throw new Error(`${question}: ${response.status} ${text}`);
  }
  throw new Error(`${question}: no answer after ${ATTEMPTS_MAX} times`);
}

/** @param {string} origin */
async function engineBytes(origin) {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^svc_engine_memory_bytes (\S+)/m.exec(text)?.[1]);
}

/** The highest that is seen until it is stopped. @param {string} origin */
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

/** @param {string} folder @param {Record<string, string>} environment @param {number} together */
async function allAnswers(folder, environment, together) {
  const server = await startProgram(folder, environment);
  await untilIdle(server);
  const { rss: rssBefore } = await server.memory();
  const watch = watchEngine(server.origin);
  /** @type {Map<string, { text: string, asked: number, ms: number }>} */
  const answers = new Map();
  const left = [...QUESTIONS];
  const startMs = performance.now();
  const askOn = async () => {
    for (let question = left.shift(); question !== undefined; question = left.shift()) {
      const answer = await answerTo(server.origin, question);
      progress(`${question}: ${Math.round(answer.ms)} ms, asked ${answer.asked} times`);
      answers.set(question, answer);
    }
  };
  await Promise.all(Array.from({ length: together }, askOn));
  const secs = (performance.now() - startMs) / 1000;
  const again = performance.now();
  await answerTo(server.origin, QUESTIONS[0] ?? "");
  const againMs = performance.now() - again;
  const peakBytes = watch.stop();
  const { peakRss } = await server.memory();
  const cpuSecs = await server.cpuSecs();
  await server.stop();
  return { answers, secs, cpuSecs, againMs, peakBytes, rssBefore, peakRss };
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, EVENTS, DAYS);
  const runs = [
    { name: "memory enough", ...(await allAnswers(folder, { SVC_ENGINE_MEMORY_MB: "3072", SVC_REQUEST_TIMEOUT_SECS: "3600" }, 1)) },
    {
      name: `${MEMORY_MB} MB, ${TOGETHER} at a time`,
      ...(await allAnswers(folder, { SVC_ENGINE_MEMORY_MB: String(MEMORY_MB) }, TOGETHER)),
    },
  ];
  const [right, ...others] = runs;
  for (const { name, answers } of others) {
    for (const [question, { text }] of answers) {
      if (text === right?.answers.get(question)?.text) continue;
      console.log(`${name}: another answer to ${question}`);
      process.exitCode = 1;
    }
  }
  printTable(
    `${QUESTIONS.length} questions about ${whole(EVENTS)} events of ${DAYS} days`,
    ["", "all answers", "processor time", "asked most often", "main again", "engine at most", "process before", "process at most"],
    runs.map(({ name, answers, secs, cpuSecs, againMs, peakBytes, rssBefore, peakRss }) => [
      name,
      `${Math.round(secs)} s`,
      `${Math.round(cpuSecs)} s`,
      `${Math.max(...[...answers.values()].map(({ asked }) => asked))} times`,
      `${Math.round(againMs)} ms`,
      mebibytes(peakBytes),
      mebibytes(rssBefore),
      mebibytes(peakRss),
    ]),
  );
});
