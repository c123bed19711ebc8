/**
 * Prints what an event costs, compared with an earlier commit: both programs take turns in each round, so that other load of the machine
 * affects both. The ratio is of processor time per request, and the median of the ratios within each round.
 *
 *   node test/bench/event-cost.mjs <commit> [rounds] [events per round]
 */
import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BENCH_FOLDER, buildBenchProgram, startProgram, startScript, untilIdle, withTempFolder } from "./bench-server.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, printTable, progress, twoDecimals, whole } from "./table.mjs";

const COMMIT = process.argv[2] ?? "HEAD";
const ROUNDS = Number(process.argv[3] ?? 10);
const EVENTS = Number(process.argv[4] ?? 30_000);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SITES = ["one.test", "two.test", "three.test", "four.test"];

/** @param {readonly string[]} args */
const git = (...args) => execFileSync("git", args, { cwd: ROOT, stdio: "ignore" });

/** @param {string} folder with the sources of the commit @param {string} dataFolder */
async function startEarlier(folder, dataFolder) {
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const { buildProgram } = await import(pathToFileURL(join(folder, "adapters/node/build.mjs")).href);
  await buildProgram(BENCH_FOLDER);
  return startScript([join(folder, BENCH_FOLDER, "main.js")], { SVC_CACHE_TTL_SECS: "0", SVC_PORT: "0", SVC_DATA_DIR: dataFolder });
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const sources = join(folder, "earlier");
  git("worktree", "add", "--detach", sources, COMMIT);
  try {
    const contenders = [
      { name: COMMIT, server: await startEarlier(sources, join(folder, "before")), micros: /** @type {number[]} */ ([]) },
      { name: "this version", server: await startProgram(join(folder, "after")), micros: /** @type {number[]} */ ([]) },
    ];
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { name, server, micros } of round % 2 === 0 ? contenders : contenders.toReversed()) {
        const before = await server.cpuSecs();
        const { accepted, failed } = await postEvents({ origin: server.origin, seconds: 0, events: EVENTS, connections: 8, sites: SITES });
        if (failed > 0) throw new Error(`${name}: ${failed} requests failed`);
        // The processor time of the remaining flushes belongs to the requests of this round.
        await untilIdle(server);
        const spent = (((await server.cpuSecs()) - before) * 1_000_000) / accepted;
        progress(`${round === 0 ? "warm-up" : `round ${round}`}, ${name}: ${whole(spent)} µs a request`);
        if (round > 0) micros.push(spent);
      }
    }
    for (const { server } of contenders) await server.stop();
    const earlier = contenders[0]?.micros ?? [];
    printTable(
      `POST /api/event, medians of ${ROUNDS} rounds of ${whole(EVENTS)} events`,
      ["", "processor time a request", "of the earlier one"],
      contenders.map(({ name, micros }) => [
        name,
        `${median(micros).toFixed(1)} µs`,
        twoDecimals(median(micros.map((value, i) => value / (earlier[i] ?? Number.NaN)))),
      ]),
    );
  } finally {
    git("worktree", "remove", "--force", sources);
  }
});
