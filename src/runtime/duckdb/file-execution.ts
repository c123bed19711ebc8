/** Executes a step over few events from their files: the engine would take longer to load them than it takes to read them here. */
import { dayNumberOf } from "../../storage/calendar.ts";
import type { Columns } from "../../storage/columns.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { eventOf, type SiteId } from "../../storage/event.ts";
import type { Partition } from "../../storage/partition.ts";
import { columnsOfEvents, decodeEventsOf } from "../../storage/parquet-events.ts";
import { FILE_EXECUTION } from "../base/config/report-limits.ts";
import type { CalendarOf } from "../sites/sites.ts";
import type { PlanStep } from "../query/plan.ts";
import { type RowsOfVisits, VISIT_COLUMNS, type Visits, visitsOf } from "../query/aggregate-query.ts";

export interface FileExecutionOptions {
  readonly eventStore: Pick<EventStore, "withSnapshot" | "read">;
  readonly calendarOf: CalendarOf;
}

/** A file is missing or cannot be read. The engine leaves out its events, and says so. */
class UnreadableFileError extends Error {}

const unflushedOf = ({ journaled }: Partition) => journaled.filter(({ inFiles }) => !inFiles).flatMap(({ events }) => events);

/** True if the thread that takes events can read them without a delay of others. */
function areFew(partitions: readonly Partition[]): boolean {
  const { fileBytesMax, bytesMax, unflushedMax } = FILE_EXECUTION;
  const sizes = partitions.flatMap(({ files }) => files.map(({ sizeBytes }) => sizeBytes));
  const unflushed = partitions.reduce((sum, partition) => sum + unflushedOf(partition).length, 0);
  return (
    unflushed <= unflushedMax && sizes.every((bytes) => bytes <= fileBytesMax) && sizes.reduce((sum, bytes) => sum + bytes, 0) <= bytesMax
  );
}

export class FileExecution {
  readonly #options: FileExecutionOptions;

  constructor(options: FileExecutionOptions) {
    this.#options = options;
  }

  /** The rows of each query of the step; null if the engine has to execute it. */
  async execute({ siteRange: { siteId, range }, queries }: PlanStep, signal: AbortSignal): Promise<readonly Columns[] | null> {
    const rowsOf: RowsOfVisits[] = queries.flatMap(({ ofVisits }) => ofVisits ?? []);
    if (rowsOf.length < queries.length) return null;
    const { eventStore, calendarOf } = this.#options;
    const visits = await eventStore.withSnapshot(siteId, range.firstDay, range.lastDay, (partitions) =>
      this.#read(siteId, partitions, signal),
    );
    return visits && rowsOf.map((rows) => rows(visits, range, calendarOf(siteId)));
  }

  /** null if there are too many events, or a file cannot be read. */
  async #read(siteId: SiteId, partitions: readonly Partition[], signal: AbortSignal): Promise<readonly Visits[] | null> {
    if (!areFew(partitions)) return null;
    try {
      const visits: Visits[] = [];
      for (const partition of partitions) visits.push(...(await this.#visitsOf(siteId, partition, signal)));
      return visits;
    } catch (error) {
      if (error instanceof UnreadableFileError) return null;
      throw error;
    }
  }

  async #visitsOf(siteId: SiteId, partition: Partition, signal: AbortSignal): Promise<Visits[]> {
    const day = dayNumberOf(partition.day);
    const visits: Visits[] = [];
    for (const file of partition.files) {
      signal.throwIfAborted();
      visits.push(...visitsIn(siteId, day, await this.#options.eventStore.read(file)));
    }
    const unflushed = unflushedOf(partition);
    if (unflushed.length > 0) visits.push(visitsOf(day, columnsOfEvents(unflushed.map(eventOf))));
    return visits;
  }
}

function visitsIn(siteId: SiteId, day: number, bytes: Uint8Array | null): Visits[] {
  if (!bytes) throw new UnreadableFileError("the file is gone");
  try {
    return Array.from(decodeEventsOf(siteId, bytes, VISIT_COLUMNS), (events) => visitsOf(day, events));
  } catch (error) {
    throw new UnreadableFileError("the file cannot be read", { cause: error });
  }
}
