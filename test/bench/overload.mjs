/**
 * One day of one site with very many different paths, and one event each of very many sites, through HTTP. Ends with code 1 when
 * a figure is not exact.
 *
 *   node test/bench/overload.mjs [paths] [sites]
 */
import { Agent, request } from "node:http";
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { mebibytes, milliseconds, printTable, progress, whole } from "./table.mjs";

const PATHS = Number(process.argv[2] ?? 1_000_000);
const SITES = Number(process.argv[3] ?? 10_000);
const CONNECTIONS = 32;

/** @param {string} origin @param {number} count @param {(n: number) => { d: string, u: string }} eventOf */
async function postAll(origin, count, eventOf) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  let accepted = 0;
  const postOn = async () => {
    while (next < count) {
      const body = JSON.stringify({ n: "pageview", ...eventOf(next++) });
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${origin}/api/event`, { agent, method: "POST", headers: { "content-length": Buffer.byteLength(body) } }, (response) => {
          response.once("end", () => resolve(response.statusCode)).resume();
        });
        sent.once("error", reject);
        sent.end(body);
      });
      if (status === 202) accepted++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, postOn));
  agent.destroy();
  return accepted;
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const server = await startProgram(folder);
  const startMs = performance.now();
  progress(`posting ${whole(PATHS)} paths`);
  const paths = await postAll(server.origin, PATHS, (n) => ({ d: "paths.test", u: `/article/${n}/a-title-of-usual-length` }));
  progress(`posting to ${whole(SITES)} sites`);
  const sites = await postAll(server.origin, SITES, (n) => ({ d: `site-${n}.test`, u: "/" }));
  const postedMs = performance.now();
  await untilIdle(server);
  const flushedMs = performance.now();
  const main = await getJson(`${server.origin}/api/stats/main?site_id=paths.test&period=7d`);
  const rows = await getJson(`${server.origin}/api/stats/breakdown/pages?site_id=paths.test&period=7d&limit=1000`);
  const answeredMs = performance.now();
  const { sites: known } = await getJson(`${server.origin}/api/sites`);
  const { peakRss } = await server.memory();
  await server.stop();
  printTable(
    `${whole(PATHS)} paths, ${whole(SITES)} sites`,
    ["accepted", "found", "sites", "posting", "until idle", "first answers", "peak resident"],
    [[whole(paths + sites), whole(main.total_events), whole(known.length), milliseconds(postedMs - startMs), milliseconds(flushedMs - postedMs), milliseconds(answeredMs - flushedMs), mebibytes(peakRss)]],
  );
  if (main.total_events !== paths || known.length !== sites + 1 || rows.length !== Math.min(1000, PATHS)) process.exitCode = 1;
});
