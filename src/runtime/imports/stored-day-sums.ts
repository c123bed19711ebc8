/** The files with sums of days of all imports: written, deleted, and written again without days that are erased. */
import {
  daySums,
  daySumsFolder,
  daySumsKey,
  daysOfHeader,
  isInSpans,
  joinedSpans,
  measuresOfDays,
  parseDaySumsKey,
  spansOf,
  daysOfSpans,
} from "../../storage/day-sums.ts";
import type { Columns } from "../../storage/columns.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { deleteObjects, type ObjectStore } from "../../storage/object-store.ts";
import type { Rollup } from "../../storage/rollup.ts";
import { encodeRollup, openRollup } from "../../storage/rollup-file.ts";
import type { ImportRecord, ImportRecords } from "./import-record.ts";

export class StoredDaySums {
  readonly #objects: ObjectStore;
  readonly #records: ImportRecords;

  constructor(objects: ObjectStore, records: ImportRecords) {
    this.#objects = objects;
    this.#records = records;
  }

  /** Durable once resolved. Writing the same again replaces the same file. */
  async write(importNumber: number, index: number, sums: Rollup): Promise<void> {
    await this.#objects.put(daySumsKey(importNumber, index), await encodeRollup(sums));
  }

  /** Deletes all files of an import but these. */
  async removeBut(importNumber: number, kept: readonly number[]): Promise<void> {
    const keys = (await this.#objects.list(daySumsFolder(importNumber))).map(({ key }) => key);
    const isKept = new Set(kept.map((index) => daySumsKey(importNumber, index)));
    await deleteObjects(
      this.#objects,
      keys.filter((key) => parseDaySumsKey(key) !== null && !isKept.has(key)),
    );
  }

  /**
   * Erases these days of all imports of a site that are complete, shown or hidden, or run. Reports leave them out before files are changed.
   * Durable once resolved; after a rejection or a kill, `restore` or another erasure deletes the rest. The caller keeps the site's imports
   * from being shown or hidden meanwhile.
   */
  eraseDays(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    const all = () => this.#records.all.filter((each) => each.siteId === siteId && hasDaySums(each));
    return this.#records.alone(async () => {
      for (const record of all()) {
        const days = daysOfSpans(record.days);
        const left = days.filter((day) => day < firstDay || lastDay < day);
        const isRunning = record.state === "running";
        if (!isRunning && left.length === days.length) continue;
        const erased = isRunning ? joinedSpans([...record.erased, [firstDay, lastDay]]) : record.erased;
        await this.#records.put({ ...record, days: spansOf(left), erased });
      }
      for (const { number } of all()) await this.restore(number);
    });
  }

  /** Deletes days from the files of an import that do not count any more: an erasure was interrupted. Not while it is shown or hidden. */
  async restore(importNumber: number): Promise<void> {
    const record = this.#records.get(importNumber);
    if (record === null || !hasDaySums(record)) return;
    const empty = new Set<number>();
    for (const index of record.dayFiles) {
      const bytes = await this.#objects.get(daySumsKey(importNumber, index));
      if (!bytes) continue;
      const file = openRollup(bytes);
      const days = daysOfHeader(file.header);
      const left = days.filter((day) => isInSpans(record.days, day));
      if (left.length === days.length) continue;
      if (left.length === 0) {
        empty.add(index);
        continue;
      }
      const measures = new Map<string, Columns>();
      for (const name of Object.keys(file.header.measures)) measures.set(name, (await file.measure(name)) ?? {});
      await this.write(importNumber, index, daySums(record.siteId, importNumber, left, measuresOfDays(measures, left)));
    }
    const dayFiles = record.dayFiles.filter((index) => !empty.has(index));
    if (empty.size > 0) await this.#records.put({ ...record, dayFiles });
    await this.removeBut(importNumber, dayFiles);
  }
}

/** One that runs may get its first ones yet. */
const hasDaySums = ({ state, dayFiles }: ImportRecord): boolean =>
  state === "running" || ((state === "shown" || state === "hidden") && dayFiles.length > 0);
