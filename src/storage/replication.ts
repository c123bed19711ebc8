/** Sends stored events to the replica, if there is one: those of a segment in one insert for each day, because inserts should be few. */
import type { EventReplica, ExpiredDays } from "./event-replica.ts";
import type { SiteId, LocalDate } from "./event.ts";
import type { ParquetWriter } from "./parquet-writer.ts";
import type { WrittenFile } from "./partitions.ts";
import type { Segment } from "./segment.ts";

export interface ReplicationOptions {
  /** A database that answers reports in place of the files. */
  readonly replica?: EventReplica | undefined;
  readonly parquet: ParquetWriter;
}

export class Replication {
  readonly #options: ReplicationOptions;

  constructor(options: ReplicationOptions) {
    this.#options = options;
  }

  /** See `EventStore.replicate`. */
  async insertSegment(segment: Segment, signal: AbortSignal | undefined): Promise<void> {
    const { replica, parquet } = this.#options;
    if (!replica || segment.replication === "done") return;
    const isRepeated = segment.replication === "begun";
    segment.replication = "begun";
    for (const [day, { sites, events }] of segment.byDay()) {
      const encoded = await parquet.encode(events);
      await replica.insert({ sites, day, segment: segment.number, isFile: false, parquet: encoded, isRepeated }, signal);
    }
    segment.replication = "done";
  }

  async insertFile(siteId: SiteId, { file: { day, first: segment }, bytes: parquet }: WrittenFile): Promise<void> {
    await this.#options.replica?.insert({ sites: [siteId], day, segment, isFile: true, parquet, isRepeated: true });
  }

  /** See `EventReplica.delete`. */
  async delete(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, exceptSegments: readonly number[]): Promise<void> {
    await this.#options.replica?.delete(siteId, firstDay, lastDay, exceptSegments);
  }

  /** See `EventReplica.deleteExpired`. */
  async deleteExpired(expired: ExpiredDays, exceptSegments: readonly number[]): Promise<void> {
    await this.#options.replica?.deleteExpired(expired, exceptSegments);
  }
}
