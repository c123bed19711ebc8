/**
 * Imports that grow with a log, under failures: once for each change to storage, which fails, or at which the process dies. Whoever sends
 * lines asks the next process how many it has, and goes on there: each line counts once, and no salt is left after the deletion.
 */
import { describe, expect, it } from "vitest";
import type { Imports } from "../../src/runtime/imports/imports.ts";
import { createRecordSecretStore, isImportSecret } from "../../src/storage/secret-store.ts";
import { crawledPaths } from "../support/crawl-counts.ts";
import { countedIn, SITE } from "../support/hit-imports.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { logLine } from "../support/uploads.ts";
import { inProcess } from "./ledger.ts";
import { isTurnOf } from "./turns.ts";

const GPTBOT = { userAgent: "Mozilla/5.0 (compatible; GPTBot/1.2)" };

const BATCHES = [
  logLine("2026-01-01T10:00:00", "/a") + logLine("2026-01-02T10:00:00", "/b") + logLine("2026-01-02T10:00:00", "/b", GPTBOT),
  logLine("2026-01-02T11:00:00", "/c"),
  logLine("2026-01-02T12:00:00", "/d") + logLine("2026-01-03T10:00:00", "/e") + logLine("2026-01-02T10:00:00", "/b", GPTBOT),
];
const HITS = 5;
const LOG = new TextEncoder().encode(BATCHES.join(""));
const ENDS = BATCHES.map((_, i) => BATCHES.slice(0, i + 1).join("").length);
/** Events and requests of crawlers of the lines up to each end. */
const COUNTS = new Map([0, ...ENDS].map((end, i) => [end, [[0, 2, 3, HITS][i], [0, 1, 1, 2][i]]]));

const { signal } = new AbortController();

const importsOf = ({ services: { imports } }: InProcessTarget): Imports => {
  if (imports === null) throw new Error("there are imports in process");
  return imports;
};

async function countsIn({ services: { crawls, eventStore } }: InProcessTarget): Promise<readonly [events: number, crawls: number]> {
  if (crawls === null) throw new Error("crawls are counted in process");
  const { "/b": crawled = 0 } = await crawledPaths(crawls.counts, SITE);
  return [await countedIn(eventStore), crawled];
}

const followedIn = (imports: Imports) => imports.all.find(({ followed }) => followed !== null);

/** Sends what is missing. */
async function send(target: InProcessTarget): Promise<number> {
  const imports = importsOf(target);
  const asked = { siteId: SITE, given: [{ name: "access.log", bytes: 0 }], hostname: null, logFormat: null };
  const { number } = followedIn(imports) ?? (await imports.follow(asked, signal));
  for (;;) {
    const bytes = followedIn(imports)?.followed?.bytes ?? 0;
    expect(await countsIn(target), `after ${bytes} bytes`).toEqual(COUNTS.get(bytes));
    const end = ENDS.find((each) => each > bytes);
    if (end === undefined) return number;
    await imports.putLines(number, bytes, async () => LOG.subarray(bytes, end), signal);
  }
}

async function play(target: InProcessTarget): Promise<void> {
  const imports = importsOf(target);
  const number = await send(target);
  await imports.hide(number, signal);
  await imports.show(number, signal);
}

const partsOf = (stores: Stores) => ({ ...stores, secrets: createRecordSecretStore(stores.records) });

async function playAndRestart(strike: Strike | null): Promise<{ readonly struck: boolean; readonly changes: number }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  await inProcess(partsOf(mortal), play).catch((error: unknown) => {
    if (strike === null) throw error;
  });
  await inProcess(partsOf(backing), async (target) => {
    const imports = importsOf(target);
    const found = followedIn(imports);
    if (found?.state === "hidden") await imports.show(found.number, signal);
    const number = await send(target);
    expect(await countsIn(target)).toEqual([HITS, 2]);
    await imports.delete(number, signal);
  });
  const secrets = (await createRecordSecretStore(backing.records).names()).filter(isImportSecret);
  const [events, crawls] = [await backing.objects.list("events"), await backing.objects.list("crawls")];
  expect({ secrets, events, crawls }).toEqual({ secrets: [], events: [], crawls: [] });
  return { struck: mortal.hasStruck(), changes: mortal.changes() };
}

describe("a followed log", () => {
  it("leaves nothing when it is deleted", async () => {
    expect((await playAndRestart(null)).changes).toBeGreaterThan(15);
  });

  for (const [way, deadly] of [true, false].entries()) {
    for (const [part, when] of (["before", "after"] as const).entries()) {
      it(`counts each line once when ${deadly ? "the process dies" : "a failure occurs"} ${when} any change`, async () => {
        for (let atChange = 1; ; atChange++) {
          if (!isTurnOf(way * 2 + part, 4, atChange)) continue;
          const { struck } = await playAndRestart({ atChange, when, deadly }).catch((error: unknown) => {
            throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
          });
          if (!struck) return;
        }
      });
    }
  }
});
