/** Compares the latency of ingestion alone with that during other work of the same process. */
import { untilIdle } from "./bench-server.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, milliseconds, progress, whole } from "./table.mjs";

/** A p99 below this is noise: it counts as this much. */
const P99_MS_MIN = 1;

/** @typedef {import("./ingestion-load.mjs").LoadResult} LoadResult */

/** Work that goes on until `stop` is called, which resolves with the number of responses. @typedef {{ stop: () => Promise<number> }} Work */

/**
 * Posts the load alone and during the work, by turns. `ratio` is the median of the rounds' ratios of p99.
 * @param {import("./bench-server.mjs").BenchProcess} server
 * @param {import("./ingestion-load.mjs").Load} load
 * @param {number} rounds
 * @param {() => Work} startWork
 */
export async function compareIngestion(server, load, rounds, startWork) {
  /** @type {{ alone: LoadResult[], beside: LoadResult[], responses: number[] }} */
  const samples = { alone: [], beside: [], responses: [] };
  for (let round = 1; round <= rounds; round++) {
    await untilIdle(server);
    samples.alone.push(await postEvents(load));
    await untilIdle(server);
    const work = startWork();
    samples.beside.push(await postEvents(load));
    samples.responses.push(await work.stop());
    const [alone, beside] = [samples.alone.at(-1)?.p99Ms ?? 0, samples.beside.at(-1)?.p99Ms ?? 0];
    progress(`round ${round}: p99 ${milliseconds(alone)} alone, ${milliseconds(beside)} during queries`);
  }
  const ratio = median(samples.beside.map(({ p99Ms }, i) => p99Ms / Math.max(samples.alone[i]?.p99Ms ?? Number.NaN, P99_MS_MIN)));
  return { ...samples, ratio };
}

export const LATENCY_HEADS = ["", "events/s", "p50", "p99", "longest"];

/** @param {string} name @param {readonly LoadResult[]} results */
export const latencyRow = (name, results) => [
  name,
  whole(median(results.map(({ perSecond }) => perSecond))),
  milliseconds(median(results.map(({ p50Ms }) => p50Ms))),
  milliseconds(median(results.map(({ p99Ms }) => p99Ms))),
  milliseconds(Math.max(...results.map(({ maxMs }) => maxMs))),
];
