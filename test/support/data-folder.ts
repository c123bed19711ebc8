/** A small data folder that no process has made: two sites, three days, a journal, and records. */
import { join } from "node:path";
import { openStores } from "../../adapters/node/data-dir/data-dir.ts";
import { createFolder } from "../../adapters/node/files/durable-files.ts";
import { nodeFileSystem, type FileSystem } from "../../adapters/node/files/file-system.ts";
import { utcDateOf } from "../../src/storage/event.ts";
import { encodeJournalLines } from "../../src/storage/journal.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { partitionKey } from "../../src/storage/partitions.ts";
import { anEvent, eventTexts, siteId } from "./stored-event.ts";

const SITES = [siteId("a.test"), siteId("B:Other.")];
const DAY_MS = 86_400_000;
export const NOON_MS = Date.UTC(2026, 2, 15, 12);

/** Adds a file with an event of a day, as a flush of this segment would. Returns its key. */
export async function addEventFile(folder: string, segment: number, dayOffset = 0, files: FileSystem = nodeFileSystem): Promise<string> {
  const site = SITES[segment % SITES.length] ?? siteId("a.test");
  const timestampMs = NOON_MS + dayOffset * DAY_MS;
  const key = partitionKey(site, utcDateOf(timestampMs), segment, segment);
  const { objects } = await openStores(folder, "always", files);
  await objects.put(key, encodeEvents([anEvent({ siteId: site, timestampMs, pathname: `/${segment}` })]));
  return key;
}

/** Events in three files and in the journal, a password's hash and a key's, and a secret. Returns the keys of the files. */
export async function fillDataFolder(folder: string, files: FileSystem = nodeFileSystem): Promise<string[]> {
  await createFolder(folder, files);
  const { segmentLog, records } = await openStores(folder, "always", files);
  const keys = [
    await addEventFile(folder, 1, -2, files),
    await addEventFile(folder, 2, -1, files),
    await addEventFile(folder, 3, 0, files),
  ];
  await segmentLog.create(4);
  await segmentLog.append(4, encodeJournalLines(eventTexts([anEvent({ siteId: siteId("a.test"), timestampMs: NOON_MS, pathname: "/4" })])));
  await segmentLog.close();
  await records.write("clock.json", new TextEncoder().encode(`{"lastSeenMs":${NOON_MS}}`));
  const secret = await files.open(join(folder, "secret"), "w");
  await secret.writeFile(new TextEncoder().encode("0".repeat(64)));
  await secret.sync();
  await secret.close();
  return keys;
}
