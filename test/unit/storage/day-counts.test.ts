/** Counts of a day: exact by labels, and the most frequent paths with the error that they state. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  countFileOf,
  type CountLimits,
  type CountRow,
  DayCounts,
  CRAWLS,
  decodeCounts,
  DROPPED,
  encodeCounts,
  parseCountKey,
} from "../../../src/storage/day-counts.ts";
import type { LocalDate } from "../../../src/storage/event.ts";
import { siteId } from "../../support/stored-event.ts";

const DAY = "2026-03-15" as LocalDate;
const LIMITS: CountLimits = { pathsMax: 20, rowsMax: 60 };
const BOTS = ["GPTBot", "Googlebot", ""] as const;

type Counted = readonly [name: string, path: string];

const countsOf = (all: readonly Counted[], limits = LIMITS): DayCounts => {
  const counts = new DayCounts(limits);
  for (const [name, path] of all) counts.add(["bot", name], path);
  return counts;
};

/** Pseudorandom: a seed always gives the same sequence. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A few frequent paths among many rare ones, of which each comes for a while only. */
function stream(seed: number, length: number): Counted[] {
  const random = randomNumbers(seed);
  return Array.from({ length }, (_, i) => {
    const path = random() < 0.4 ? `/often/${Math.floor(random() * 8)}` : `/rare/${Math.floor(i / 100)}/${Math.floor(random() * 90)}`;
    return [BOTS[Math.floor(random() * BOTS.length)] ?? "", path];
  });
}

function sumsBy<Key>(rows: Iterable<readonly [Key, number]>): Map<Key, number> {
  const sums = new Map<Key, number>();
  for (const [key, count] of rows) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

/** Exact sums, and bounds that hold. */
function expectHonest(rows: readonly CountRow[], all: readonly Counted[], limits = LIMITS): void {
  expect(sumsBy(rows.map(({ labels, count }) => [labels[1], count]))).toEqual(sumsBy(all.map(([name]) => [name, 1])));
  const truth = sumsBy(all.map(([, path]) => [path, 1]));
  const kept = sumsBy(rows.flatMap(({ path, count }) => (path === null ? [] : [[path, count] as const])));
  const missedOf = new Map(rows.map(({ path, missed }) => [path, missed]));
  const missedMax = missedOf.get(null) ?? 0;
  expect(missedMax).toBeLessThanOrEqual(all.length / limits.pathsMax);
  for (const [path, count] of truth) {
    const known = kept.get(path);
    if (known === undefined) expect(count).toBeLessThanOrEqual(missedMax);
    else {
      expect(known).toBeLessThanOrEqual(count);
      expect(known + (missedOf.get(path) ?? 0)).toBeGreaterThanOrEqual(count);
    }
  }
}

describe("counts of a day", () => {
  it("are exact while there is room", () => {
    const rows = [...countsOf(stream(1, 30).slice(0, 15)).rows()];
    expect(rows.every(({ path, missed }) => path !== null && missed === 0)).toBe(true);
  });

  it.each([1, 2, 3, 4, 5])("add up, and keep the most frequent paths of stream %i", (seed) => {
    const all = stream(seed, 6000);
    const counts = countsOf(all);
    expect(counts.rowCount).toBeLessThanOrEqual(2 * LIMITS.rowsMax + BOTS.length);
    counts.prune();
    const rows = [...counts.rows()];
    expectHonest(rows, all);
    expect(new Set(rows.flatMap(({ path }) => path ?? [])).size).toBeLessThanOrEqual(LIMITS.pathsMax);
    for (let i = 0; i < 8; i++) expect(rows.some(({ path }) => path === `/often/${i}`)).toBe(true);
  });

  it("keep a path that becomes frequent after the places are taken", () => {
    const early: Counted[] = Array.from({ length: 100 }, (_, i) => ["GPTBot", `/early/${i}`]);
    const late: Counted[] = Array.from({ length: 50 }, () => ["GPTBot", "/late"]);
    const counts = countsOf([...early, ...late]);
    counts.prune();
    const row = [...counts.rows()].find(({ path }) => path === "/late");
    expect(row?.count).toBe(50);
  });

  it("of parts that are merged are as honest as those of the whole", () => {
    const all = stream(7, 6000);
    const sum = new DayCounts(LIMITS);
    for (let at = 0; at < all.length; at += 700) sum.merge(countsOf(all.slice(at, at + 700)));
    sum.prune();
    expectHonest([...sum.rows()], all);
  });

  it("without a path say how many there may be of any", () => {
    const counts = countsOf([["GPTBot", "/a"]]);
    counts.addWithoutPath(["bot", "GPTBot"]);
    expect([...counts.rows()]).toEqual([
      { labels: ["bot", "GPTBot"], path: "/a", count: 1, missed: 0 },
      { labels: ["bot", "GPTBot"], path: null, count: 1, missed: 1 },
    ]);
  });

  it.each([1, 2])("are summed by labels and by path as their rows of stream %i", (seed) => {
    const counts = countsOf(stream(seed, 3000));
    counts.prune();
    const rows = [...counts.rows()];
    const ofLabels = (all: readonly { readonly labels: readonly string[]; readonly count: number }[]) =>
      sumsBy(all.map(({ labels, count }) => [labels.join(), count] as const));
    expect(ofLabels(counts.sums())).toEqual(ofLabels(rows));
    expect(counts.sums()).toHaveLength(BOTS.length);
    const ofPaths = rows.filter(({ path }) => path !== null);
    const paths = counts.paths();
    expect(new Map(paths.map(({ path, count }) => [path, count]))).toEqual(sumsBy(ofPaths.map(({ path, count }) => [path, count])));
    for (const { path, missed } of paths) {
      const own = ofPaths.filter((row) => row.path === path);
      expect(own.map(({ labels, count }) => ({ labels, count, path, missed }))).toEqual(own);
      expect(counts.countsOf(path)).toEqual(own.map(({ labels, count }) => ({ labels, count })));
    }
    expect(counts.missed).toBe(rows.find(({ path }) => path === null)?.missed);
    expect(counts.countsOf("/none")).toEqual([]);
  });

  it("cut long paths", () => {
    const [row] = countsOf([["", `/${"x".repeat(3000)}`]]).rows();
    expect(row?.path).toHaveLength(257);
  });
});

it("counts of a day keep nothing of the addresses that their paths are parts of", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const megabytesInUse = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const counts = new DayCounts();
  const before = megabytesInUse();
  for (let i = 0; i < 1000; i++) {
    const address = `/${i}/`.padEnd(50_000, "a");
    counts.add(["bot", ""], address.slice(0, 100));
    counts.add(["bot", ""], address.slice(1));
  }
  expect(megabytesInUse() - before).toBeLessThan(20);
  expect(counts.rowCount).toBe(2000);
});

describe("a file of counts", () => {
  const counts = countsOf(stream(3, 3000));

  it("gives back what was written, with equal bytes for equal counts", async () => {
    const bytes = await encodeCounts(DROPPED, DAY, counts);
    const read = await decodeCounts(DROPPED, bytes, LIMITS);
    expect(new Set(read.rows())).toEqual(new Set(counts.rows()));
    expect(await encodeCounts(DROPPED, DAY, DayCounts.from([...counts.rows()].reverse(), LIMITS))).toEqual(bytes);
  });

  it("of an earlier version may lack the last label", async () => {
    const earlier = { day: DAY, path: "/", name: "GPTBot", count: 2, missed: 0 };
    const read = (line: object) => decodeCounts(CRAWLS, gzipSync(`${JSON.stringify(line)}\n`));
    expect([...(await read({ ...earlier, status: "200" })).rows()].map(({ labels }) => labels)).toEqual([["GPTBot", "200", ""]]);
    await expect(read(earlier)).rejects.toThrow("a line is none of counts");
  });

  it("that is damaged is refused", async () => {
    const bytes = await encodeCounts(DROPPED, DAY, counts);
    await expect(decodeCounts(DROPPED, bytes.slice(0, 10))).rejects.toThrow("cut off");
    await expect(decodeCounts(DROPPED, bytes.slice(0, -30))).rejects.toThrow();
    const changed = bytes.slice();
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1;
    await expect(decodeCounts(DROPPED, changed)).rejects.toThrow();
    await expect(decodeCounts({ ...DROPPED, labels: ["other"] }, bytes)).rejects.toThrow("a line is none of counts");
  });

  it("has a key with its site, day and part", () => {
    const file = countFileOf(DROPPED, siteId("A.test"), DAY, 12);
    expect(file.key).toBe("dropped/site_id=%41.test/2026-03-15_12.ndjson.gz");
    expect(parseCountKey(file.key)).toEqual(file);
    for (const key of ["dropped/site_id=a/2026-02-30_0.ndjson.gz", "dropped/site_id=a/2026-03-15.ndjson.gz"])
      expect(parseCountKey(key)).toBeNull();
  });
});
