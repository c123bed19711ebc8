/**
 * Events, questions, flushes and merges without a pause. Ends with code 1 when an event is lost or counted twice, or a question fails.
 *
 *   node test/bench/soak.mjs [minutes]
 */
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { mebibytes, printTable, progress, whole } from "./table.mjs";
import { WatchedLoad } from "./watched-load.mjs";

const MINUTES = Number(process.argv[2] ?? 60);
const SITES = 20;
const LOOK_MS = 30_000;

const ENVIRONMENT = { SVC_FLUSH_EVENT_COUNT: "2000", SVC_FLUSH_INTERVAL_SECS: "2", SVC_COMPACT_AFTER_FILES: "8", SVC_TRUST_PROXY: "1", SVC_QUERY_QUEUE_MS: "60000" };

await buildBenchProgram();
await withTempFolder(async (folder) => {
  let server = await startProgram(folder, ENVIRONMENT);
  const load = new WatchedLoad(SITES);
  const endMs = performance.now() + MINUTES * 60_000;
  let peak = 0;
  load.start(server.origin);
  while (performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_MS, Math.max(0, endMs - performance.now()))));
    const { rss, peakRss } = await server.memory();
    peak = Math.max(peak, peakRss);
    progress(`${whole(load.total("acknowledged"))} events acknowledged, ${whole(load.questions)} questions, ${mebibytes(rss)} resident`);
  }
  await load.stop();
  const running = await load.compare(server.origin);
  await server.stop();
  server = await startProgram(folder, ENVIRONMENT);
  const restarted = await load.compare(server.origin);
  await server.stop();
  const wrong = [...running.wrong, ...restarted.wrong];
  printTable(
    `${MINUTES} minutes, ${SITES} sites`,
    ["sent", "acknowledged", "refused", "found", "found after a restart", "questions", "failed", "peak resident"],
    [[whole(load.total("sent")), whole(load.total("acknowledged")), whole(load.total("refused")), whole(running.found), whole(restarted.found), whole(load.questions), whole(load.failedQuestions), mebibytes(peak)]],
  );
  for (const line of wrong) console.log(line);
  if (wrong.length > 0 || load.failedQuestions > 0 || load.total("refused") > 0 || load.total("unanswered") > 0) process.exitCode = 1;
});
