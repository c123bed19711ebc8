/**
 * Prints what evidence, the lookup of networks and the counts of dropped events add to the cost of an event. The program, with and without
 * a database of networks, takes turns with one from which all of that is removed, so that other load of the machine affects all. The ratio
 * is of processor time per request, and the median of the ratios within each round. A tenth of the requests are of bots. The counts are
 * written every 15 seconds, however many requests there were: short rounds show that write, long ones the cost of a request.
 *
 *   node test/bench/evidence-cost.mjs [rounds] [events per round]
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buildBenchProgram,
  buildPlainProgram,
  importSource,
  startPlainProgram,
  startProgram,
  untilIdle,
  withTempFolder,
} from "./bench-server.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, printTable, progress, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 10);
const EVENTS = Number(process.argv[3] ?? 30_000);
const SITES = ["one.test", "two.test", "three.test", "four.test"];
const NETWORKS = 20 * 256;

/** A database in which each address of the load has a network. */
async function databaseOfNetworks() {
  const { mmdbOf } = await importSource("test/support/mmdb-writer.ts");
  const networks = Array.from({ length: NETWORKS }, (_, i) => [
    `${80 + Math.floor(i / 256)}.${i % 256}.0.0/16`,
    { autonomous_system_number: i % 10 === 0 ? 16_509 : 64_496 + (i % 1000), autonomous_system_organization: `Network ${i}` },
  ]);
  return mmdbOf(Object.fromEntries(networks));
}

await buildBenchProgram();
await buildPlainProgram();
await withTempFolder(async (folder) => {
  const database = join(folder, "networks.mmdb");
  await writeFile(database, await databaseOfNetworks());
  const behindProxy = { SVC_TRUST_PROXY: "1" };
  const contenders = [
    { name: "without all", server: await startPlainProgram(join(folder, "plain"), behindProxy), micros: /** @type {number[]} */ ([]) },
    {
      name: "with evidence and counts",
      server: await startProgram(join(folder, "evidence"), behindProxy),
      micros: /** @type {number[]} */ ([]),
    },
    {
      name: "and networks",
      server: await startProgram(join(folder, "networks"), { ...behindProxy, SVC_ASN_DB: database }),
      micros: /** @type {number[]} */ ([]),
    },
  ];
  for (let round = 0; round <= ROUNDS; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const { name, server, micros } = contenders[(i + round) % contenders.length] ?? contenders[0];
      const load = { origin: server.origin, seconds: 0, events: EVENTS, connections: 8, sites: SITES, botShare: 0.1, isForwarded: true };
      const before = await server.cpuSecs();
      const { accepted, failed } = await postEvents(load);
      if (failed > 0) throw new Error(`${name}: ${failed} requests failed`);
      // The processor time of the remaining flushes belongs to the requests of this round.
      await untilIdle(server);
      const spent = (((await server.cpuSecs()) - before) * 1_000_000) / accepted;
      progress(`${round === 0 ? "warm-up" : `round ${round}`}, ${name}: ${whole(spent)} µs a request`);
      if (round > 0) micros.push(spent);
    }
  }
  for (const { server } of contenders) await server.stop();
  const plain = contenders[0]?.micros ?? [];
  printTable(
    `POST /api/event, medians of ${ROUNDS} rounds of ${whole(EVENTS)} requests`,
    ["", "processor time a request", "of that without all"],
    contenders.map(({ name, micros }) => [
      name,
      `${median(micros).toFixed(1)} µs`,
      twoDecimals(median(micros.map((value, i) => value / (plain[i] ?? Number.NaN)))),
    ]),
  );
});
