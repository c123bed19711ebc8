/**
 * Kills the program at random moments under the load of the soak, and restarts it each time. Exits with code 1 if an acknowledged
 * event is lost or any event is counted twice.
 *
 *   node test/bench/crash.mjs [rounds]
 */
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { mebibytes, printTable, progress, whole } from "./table.mjs";
import { WatchedLoad } from "./watched-load.mjs";

const ROUNDS = Number(process.argv[2] ?? 100);
const SITES = 20;
const ROUND_MS_MIN = 1_000;
const ROUND_MS_MAX = 6_000;

const FSYNC_MODES = ["interval", "off", "always"];

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const load = new WatchedLoad(SITES);
  /** @type {string[]} */
  const wrong = [];
  let [found, peak, withoutResponse] = [0, 0, 0];
  for (let round = 0; round <= ROUNDS; round++) {
    const environment = {
      SVC_FLUSH_EVENT_COUNT: "1000",
      SVC_FLUSH_INTERVAL_SECS: "1",
      SVC_COMPACT_AFTER_FILES: "4",
      SVC_TRUST_PROXY: "1",
      SVC_QUERY_QUEUE_MS: "60000",
      SVC_JOURNAL_FSYNC: FSYNC_MODES[round % FSYNC_MODES.length] ?? "interval",
    };
    const server = await startProgram(folder, environment);
    const compared = await load.compare(server.origin);
    found = compared.found;
    wrong.push(...compared.wrong.map((line) => `round ${round}: ${line}`));
    if (round === ROUNDS || wrong.length > 0) {
      await server.stop();
      break;
    }
    load.start(server.origin);
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS_MIN + Math.random() * (ROUND_MS_MAX - ROUND_MS_MIN)));
    peak = Math.max(peak, (await server.memory()).peakRss);
    await server.kill9();
    await load.stop();
    withoutResponse += load.total("withoutResponse");
    progress(`round ${round + 1}: ${whole(load.total("acknowledged"))} events acknowledged`);
  }
  printTable(
    `${ROUNDS} kills, ${SITES} sites`,
    ["sent", "acknowledged or found", "without response", "found", "queries", "peak resident"],
    [
      [
        whole(load.total("sent")),
        whole(load.total("acknowledged")),
        whole(withoutResponse),
        whole(found),
        whole(load.queries),
        mebibytes(peak),
      ],
    ],
  );
  for (const line of wrong) console.log(line);
  if (wrong.length > 0) process.exitCode = 1;
});
