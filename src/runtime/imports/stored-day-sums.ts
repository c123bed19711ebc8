/** The files with sums of days of all imports: written, deleted, and written again without days that are erased. */
import {
  daySums,
  daySumsFolder,
  daySumsKey,
  daysOfHeader,
  isInSpans,
  parseDaySumsKey,
  spansOf,
  daysOfSpans,
  withoutOtherDays,
} from "../../storage/day-sums.ts";
import { dayNumberOf } from "../../storage/calendar.ts";
import { rowCountOf, type Columns } from "../../storage/columns.ts";
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
   * Erases these days of all imports of a site that are complete, shown or hidden. Reports leave them out before files are changed. Durable
   * once resolved; after a rejection or a kill, `restore` or another erasure deletes the rest. The caller keeps the records from others.
   */
  async eraseDays(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    for (const record of this.#records.all.filter((each) => each.siteId === siteId && isComplete(each))) {
      const days = daysOfSpans(record.days);
      const left = days.filter((day) => day < firstDay || lastDay < day);
      if (left.length === days.length) continue;
      await this.#records.put({ ...record, days: spansOf(left) });
    }
    for (const { number } of this.#records.all.filter((each) => each.siteId === siteId)) await this.restore(number);
  }

  /** Deletes days from the files of a complete import that do not count any more: an erasure was interrupted. */
  async restore(importNumber: number): Promise<void> {
    const record = this.#records.existing(importNumber);
    if (!isComplete(record)) return;
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
      const numbers = new Set(left.map(dayNumberOf));
      const measures = new Map<string, Columns>();
      for (const name of Object.keys(file.header.measures)) {
        const rows = withoutOtherDays((await file.measure(name)) ?? {}, (day) => numbers.has(day));
        if (rowCountOf(rows) > 0) measures.set(name, rows);
      }
      await this.write(importNumber, index, daySums(record.siteId, importNumber, left, measures));
    }
    const dayFiles = record.dayFiles.filter((index) => !empty.has(index));
    if (empty.size > 0) await this.#records.put({ ...record, dayFiles });
    await this.removeBut(importNumber, dayFiles);
  }
}

/** A running import has a record of its own in memory, and is erased once it is complete. */
const isComplete = ({ state, dayFiles }: ImportRecord): boolean => (state === "shown" || state === "hidden") && dayFiles.length > 0;
