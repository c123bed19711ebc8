/** Reads all stored events of a process that does not run, from its folder or its memory stores. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import { isSiteId } from "../../src/runtime/base/config/names.ts";
import { TEXT_COLUMNS } from "../../src/storage/event.ts";
import { decodeJournalLines } from "../../src/storage/journal.ts";
import { decodeEvents, inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { EVENTS_FOLDER, type PartitionFile, Partitions } from "../../src/storage/partitions.ts";
import type { Stores } from "../support/mortal-stores.ts";

const JOURNAL_FOLDER = "journal";

const PATHNAME = TEXT_COLUMNS.find(({ name }) => name === "pathname");

export interface StoredEvents {
  /** How many events each page has, as `site/page`: those in files, and those of the journal that are in no file yet. */
  readonly pages: ReadonlyMap<string, number>;
  readonly inJournalOnly: number;
}

export async function readStoredEvents(dataFolder: string): Promise<StoredEvents> {
  const segmentLog = await openFileSegmentLog(join(dataFolder, JOURNAL_FOLDER), "off");
  const stored = await readStores({ objects: createFileObjectStore(dataFolder), segmentLog });
  await segmentLog.close();
  return stored;
}

export async function readStores({ objects, segmentLog }: Pick<Stores, "objects" | "segmentLog">): Promise<StoredEvents> {
  if (!PATHNAME) throw new Error("events have no pathname");
  const pages = new Map<string, number>();
  const count = (siteId: string, pathname: string | null) => {
    const page = `${siteId}${pathname}`;
    pages.set(page, (pages.get(page) ?? 0) + 1);
  };

  const partitions = new Partitions({ parquet: inlineParquetWriter, objects, isSiteId, listingsMax: 1000, onStray: () => {} });
  const written = new Map<string, PartitionFile[]>();
  for (const siteId of await partitions.sites()) {
    for (const day of await partitions.days(siteId)) {
      for (const file of await partitions.files(siteId, day)) {
        written.set(`${siteId} ${day}`, [...(written.get(`${siteId} ${day}`) ?? []), file]);
        for (const decoded of decodeEvents((await partitions.read(file)) ?? new Uint8Array())) {
          const { texts, places } = decoded.text(PATHNAME);
          for (const place of places) count(siteId, texts[place] ?? null);
        }
      }
    }
  }

  let inJournalOnly = 0;
  for (const segment of await segmentLog.list()) {
    for (const { siteId, date, pathname } of decodeJournalLines(await segmentLog.read(segment)).events) {
      const files = written.get(`${siteId} ${date}`) ?? [];
      if (files.some(({ first, last }) => first <= segment && segment <= last)) continue;
      inJournalOnly++;
      count(siteId, pathname);
    }
  }
  return { pages, inJournalOnly };
}

/** Names that show what a process was doing when it died: files half written, and segments of which some files are there already. */
export async function readCrashTraces(dataFolder: string): Promise<string[]> {
  const files = await readdir(join(dataFolder, EVENTS_FOLDER), { recursive: true }).catch(() => []);
  const journal = new Set(await readdir(join(dataFolder, JOURNAL_FOLDER)).catch(() => []));
  const isOfJournal = (file: string) => journal.has(`${/(\d+)-\d+\.parquet$/.exec(file)?.[1]}.journal`);
  return files.filter((file) => file.endsWith(".unfinished") || isOfJournal(file));
}
