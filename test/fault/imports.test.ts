/**
 * Imports under failures, from the upload to the deletion: once for each change to storage, which fails, or at which the process dies. The
 * next process finds all events of the import or none, and brings it to its end, with each event once, or deletes all of it.
 */
import { describe, expect, it } from "vitest";
import type { Imports } from "../../src/runtime/imports/imports.ts";
import { isImportSecret, createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { countedIn, SITE } from "../support/hit-imports.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { datapoints } from "../support/uploads.ts";
import { inProcess } from "./ledger.ts";
import { isTurnOf } from "./turns.ts";

const HITS = 6;
const FILE = new TextEncoder().encode(
  datapoints(Array.from({ length: HITS }, (_, i) => [`2026-01-0${(i % 3) + 1}T10:00:0${i}`, `/${i}`, `id-${i}`] as const)),
);
const ASKED = { siteId: SITE, given: [{ name: "export.csv", bytes: FILE.length }], hostname: null, logFormat: null };
const { signal } = new AbortController();

const importsOf = ({ services: { imports } }: InProcessTarget): Imports => {
  if (imports === null) throw new Error("there are imports in process");
  return imports;
};

async function work(imports: Imports): Promise<void> {
  if (!(await imports.job.run())) throw new Error("the job failed");
}

const isWhole = (counted: number): boolean => counted === 0 || counted === HITS;

/** The next step on the way to a shown import. */
async function step(imports: Imports): Promise<void> {
  const [record] = imports.all;
  if (record === undefined) return void (await imports.begin(ASKED, signal));
  const { number, state } = record;
  if (state === "receiving") return void (await imports.putPart(number, 0, 0, async () => FILE, signal));
  if (state === "ready") return imports.confirm(number, signal);
  if (state === "hidden") return imports.show(number, signal);
  await work(imports);
}

async function untilShown(target: InProcessTarget): Promise<number> {
  const imports = importsOf(target);
  for (let steps = 0; steps < 20; steps++) {
    const [record] = imports.all;
    const counted = await countedIn(target.services.eventStore);
    expect(isWhole(counted), `${counted} events count`).toBe(true);
    if (record?.state === "shown") return record.number;
    await step(imports);
  }
  throw new Error(`it does not end: ${JSON.stringify(imports.all)}`);
}

async function play(target: InProcessTarget): Promise<void> {
  const imports = importsOf(target);
  const number = await untilShown(target);
  await imports.hide(number, signal);
  await imports.show(number, signal);
  await imports.delete(number, signal);
}

const partsOf = (stores: Stores) => ({ ...stores, secrets: createRecordSecretStore(stores.records) });

async function leftIn({ objects, records }: Stores) {
  const secrets = (await createRecordSecretStore(records).names()).filter(isImportSecret);
  return { secrets, events: await objects.list("events"), files: await objects.list("imports"), records: await records.list("imports/") };
}

async function playAndRestart(
  strike: Strike | null,
  end: "shown" | "deleted",
): Promise<{ readonly struck: boolean; readonly changes: number }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  await inProcess(partsOf(mortal), play).catch((error: unknown) => {
    if (strike === null) throw error;
  });
  await inProcess(partsOf(backing), async (target) => {
    const imports = importsOf(target);
    await work(imports);
    expect(isWhole(await countedIn(target.services.eventStore))).toBe(true);
    const number = await untilShown(target);
    expect(await countedIn(target.services.eventStore)).toBe(HITS);
    const left = await leftIn(backing);
    expect({ secrets: left.secrets, files: left.files.filter(({ key }) => key.includes("/files/")) }).toEqual({ secrets: [], files: [] });
    if (end === "deleted") await imports.delete(number, signal);
  });
  if (end === "deleted") expect(await leftIn(backing)).toEqual({ secrets: [], events: [], files: [], records: ["imports/last.json"] });
  return { struck: mortal.hasStruck(), changes: mortal.changes() };
}

describe("an import by upload", () => {
  it("leaves nothing when it is deleted", async () => {
    expect((await playAndRestart(null, "deleted")).changes).toBeGreaterThan(20);
  });

  for (const [way, deadly] of [true, false].entries()) {
    for (const [part, when] of (["before", "after"] as const).entries()) {
      it(`counts whole or not at all, and ends, when ${deadly ? "the process dies" : "a failure occurs"} ${when} any change`, async () => {
        for (let atChange = 1; ; atChange++) {
          if (!isTurnOf(way * 2 + part, 4, atChange)) continue;
          const end = atChange % 8 < 4 ? "shown" : "deleted";
          const { struck } = await playAndRestart({ atChange, when, deadly }, end).catch((error: unknown) => {
            throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
          });
          if (!struck) return;
        }
      });
    }
  }
});
