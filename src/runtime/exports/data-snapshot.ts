/**
 * The events of a data folder by site and day, read while the service may be running, so that each event accepted before counts once: the
 * journal is read first, and files after it (see `upkeep/backup.ts`).
 */
import { decodeJournalLines } from "../../storage/journal.ts";
import { bufferedEvent, type EventText, type LocalDate, type SiteId } from "../../storage/event.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { inlineParquetWriter } from "../../storage/parquet-events.ts";
import {
  isInFiles,
  PARQUET_BYTES_PER_EVENT,
  type PartitionFile,
  Partitions,
  type PartitionsOptions,
  partitionVersionOf,
  sizeGroups,
} from "../../storage/partitions.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { Segment, type SegmentLog } from "../../storage/segment.ts";
import { LISTING_ATTEMPTS_MAX } from "../base/config/limits.ts";
import { isSiteId } from "../base/config/names.ts";
import { readWhatCounts } from "../imports/what-counts.ts";

export interface SnapshotSource {
  readonly objects: ObjectStore;
  readonly segmentLog: Pick<SegmentLog, "list" | "read">;
  readonly records: Pick<RecordStore, "list" | "read">;
}

/** A listed file is gone: it was merged into another one, or its events were erased. */
class FileVanishedError extends Error {
  override readonly name = "FileVanishedError";
}

/** The events of a site and day: those of the files, and then those that are in no file yet. */
export interface DayEvents {
  readonly siteId: SiteId;
  readonly day: LocalDate;
  /** Changes whenever an event is added or deleted, and when files are merged. */
  readonly version: string;
  /** Oldest first. */
  readonly files: readonly PartitionFile[];
  readonly journaled: readonly EventText[];
  /** The range of segment numbers of files and journal. */
  readonly first: number;
  readonly last: number;
  /** Only the task of `DataSnapshot.read` may call it: it begins again if the file is gone. */
  readonly readFile: (file: PartitionFile) => Promise<Uint8Array>;
}

export class DataSnapshot {
  readonly #objects: ObjectStore;
  /** Oldest first. */
  readonly #segments: readonly Segment[];
  readonly #whatCounts: Pick<PartitionsOptions, "isShown" | "isHidden">;
  #partitions: Partitions;

  private constructor(objects: ObjectStore, segments: readonly Segment[], whatCounts: Pick<PartitionsOptions, "isShown" | "isHidden">) {
    this.#objects = objects;
    this.#segments = segments;
    this.#whatCounts = whatCounts;
    this.#partitions = this.#listing();
  }

  static async of({ objects, segmentLog, records }: SnapshotSource): Promise<DataSnapshot> {
    const segments: Segment[] = [];
    for (const number of await segmentLog.list()) {
      let bytes: Uint8Array;
      try {
        bytes = await segmentLog.read(number);
      } catch (error) {
        // A missing segment was flushed: its events are in files now.
        if ((await segmentLog.list()).includes(number)) throw error;
        continue;
      }
      const segment = new Segment(number);
      for (const event of decodeJournalLines(bytes).events) segment.add(bufferedEvent(event));
      segments.push(segment);
    }
    return new DataSnapshot(objects, segments, await readWhatCounts(records));
  }

  #listing(): Partitions {
    // `verify` reports strays.
    const parts = { objects: this.#objects, parquet: inlineParquetWriter, isSiteId, listingsMax: 1, onStray: () => {} };
    return new Partitions({ ...parts, ...this.#whatCounts });
  }

  /** All sites with events, in ascending order. */
  async sites(): Promise<SiteId[]> {
    const journaled = this.#segments.flatMap(({ sites }) => [...sites.keys()]);
    return [...new Set([...(await this.#partitions.sites()), ...journaled])].sort();
  }

  /** The days of a site with events, in ascending order. */
  async days(siteId: SiteId): Promise<LocalDate[]> {
    const journaled = this.#segments.flatMap(({ sites }) => [...(sites.get(siteId)?.keys() ?? [])]);
    return [...new Set([...(await this.#partitions.shownDays(siteId)), ...journaled])].sort();
  }

  /** The days in groups of about so many bytes of Parquet; a larger day is a group of its own. */
  async groupsOf(siteId: SiteId, days: readonly LocalDate[], bytesMax: number): Promise<LocalDate[][]> {
    const sized: { readonly day: LocalDate; readonly bytes: number }[] = [];
    for (const day of days) {
      const { files, journaled } = await this.#eventsOf(siteId, day);
      const inFiles = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      sized.push({ day, bytes: inFiles + journaled.length * PARQUET_BYTES_PER_EVENT });
    }
    return sizeGroups(sized, ({ bytes }) => bytes, bytesMax).map((group) => group.map(({ day }) => day));
  }

  /** Runs a task over the events of days: once more from the beginning if a file vanishes meanwhile. */
  async read<const Days extends readonly LocalDate[], T>(
    siteId: SiteId,
    days: Days,
    task: (events: { readonly [I in keyof Days]: DayEvents }) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const events: DayEvents[] = [];
        for (const day of days) events.push(await this.#eventsOf(siteId, day));
        return await task(events as unknown as { readonly [I in keyof Days]: DayEvents });
      } catch (error) {
        if (!(error instanceof FileVanishedError)) throw error;
        if (attempt === LISTING_ATTEMPTS_MAX)
          throw new Error("files vanish faster than they can be read; try again when the program has less to do", { cause: error });
        this.#partitions = this.#listing();
      }
    }
  }

  async #eventsOf(siteId: SiteId, day: LocalDate): Promise<DayEvents> {
    const files = await this.#partitions.files(siteId, day);
    const journaled = this.#segments.flatMap(({ number, sites }) => {
      const events = sites.get(siteId)?.get(day);
      return events && !isInFiles(number, files) ? [{ segment: number, events, inFiles: false }] : [];
    });
    // It had events when the days were listed.
    if (files.length + journaled.length === 0)
      throw new Error(`${siteId} has no events on ${day} any more: they were deleted, or the site was renamed. Export again`);
    const numbers = [...files.flatMap(({ first, last }) => [first, last]), ...journaled.map(({ segment }) => segment)];
    return {
      siteId,
      day,
      version: partitionVersionOf({ day, files, journaled }).version,
      files,
      journaled: journaled.flatMap(({ events }) => events),
      first: Math.min(...numbers),
      last: Math.max(...numbers),
      readFile: (file) => this.#readFile(file.key),
    };
  }

  async #readFile(key: ObjectKey): Promise<Uint8Array> {
    const bytes = await this.#objects.get(key);
    if (bytes === null) throw new FileVanishedError(key);
    return bytes;
  }
}
