/**
 * Which minutes of the demo site's days are stored. The range in a file's name counts the minutes since the demo's first day, so that
 * the names alone say where the demo begins, what it lacks, and that a file is made up: segments of the journal have far larger numbers.
 */
import { dayNumberOf } from "../../../storage/calendar.ts";
import type { LocalDate } from "../../../storage/event.ts";
import type { Partition, PartitionFile } from "../../../storage/partition.ts";
import type { FileOfDay } from "../../../storage/partitions.ts";

export const MINUTES_OF_DAY = 1440;

/** The last number of a hundred years. Segments are numbered by the clock's milliseconds (docs/data-format.md, "Partitions"). */
const NUMBER_MAX = 100 * 366 * MINUTES_OF_DAY;

export interface StoredDemo {
  /** The number of the demo's first day; null without a demo. */
  readonly firstDay: number | null;
  /** How many minutes of each day are stored, from midnight on. */
  readonly minutes: ReadonlyMap<LocalDate, number>;
  /** There are events that were not made up. */
  readonly hasOthers: boolean;
}

const isMadeUp = ({ first, last }: FileOfDay): boolean => first > 0 && last <= NUMBER_MAX;

const firstDayOf = ({ day, first }: FileOfDay): number => dayNumberOf(day) - Math.floor((first - 1) / MINUTES_OF_DAY);

const minutesOf = ({ last }: FileOfDay): number => ((last - 1) % MINUTES_OF_DAY) + 1;

export function storedDemo(partitions: readonly Partition[]): StoredDemo {
  const files: PartitionFile[] = partitions.flatMap((partition) => partition.files);
  const made = files.filter(isMadeUp);
  const minutes = new Map<LocalDate, number>();
  for (const file of made) minutes.set(file.day, Math.max(minutes.get(file.day) ?? 0, minutesOf(file)));
  return {
    firstDay: made[0] ? firstDayOf(made[0]) : null,
    minutes,
    hasOthers: made.length < files.length || partitions.some(({ journaled }) => journaled.length > 0),
  };
}

/** The file of some minutes of a day, `from` to below `to`. */
export function demoFile(day: LocalDate, index: number, { from, to }: { readonly from: number; readonly to: number }): FileOfDay {
  const before = index * MINUTES_OF_DAY;
  return { day, first: before + from + 1, last: before + to };
}
