/** How changes of records become durable: where other instances have them first, then here. What cannot be stored here is taken back there. */
import type { EpochMs } from "../../storage/event.ts";
import { createJsonRecord, replaceJsonRecord, updateJsonRecord } from "../../storage/json-record.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { severalAtOnce } from "../../storage/several-at-once.ts";
import { SITE_RECORDS_MAX_AT_ONCE } from "../base/config/admin-limits.ts";
import { storageUnavailable } from "../base/errors.ts";
import type { Sha256 } from "../base/sha256.ts";
import type { RecordChange, SiteChange, SiteDistribution } from "./site-distribution.ts";
import { recordOf, siteRecordJson } from "./site-record.ts";

export interface SiteRecordWriterParts {
  readonly records: RecordStore;
  readonly distribution: SiteDistribution | undefined;
  readonly sha256: Sha256;
}

export class SiteRecordWriter {
  readonly #parts: SiteRecordWriterParts;
  #withdrawnMs: EpochMs = 0;

  constructor(parts: SiteRecordWriterParts) {
    this.#parts = parts;
  }

  /** The latest change that other instances may have though it does not count here. */
  get withdrawnMs(): EpochMs {
    return this.#withdrawnMs;
  }

  /** Calls `onStored` with each change that is durable. 503 if some cannot be stored or shared; no further one is begun then. */
  async write<Change extends RecordChange>(changes: readonly Change[], onStored: (change: Change) => Promise<void>): Promise<void> {
    await this.#publish(changes).catch((cause: unknown) => {
      this.#noteWithdrawn(changes);
      notShared(cause);
    });
    const open = new Set(changes);
    try {
      await severalAtOnce(changes, SITE_RECORDS_MAX_AT_ONCE, async (change) => {
        await this.#store(change).catch(notStored);
        open.delete(change);
        await onStored(change);
      });
    } catch (error) {
      await this.#withdraw([...open]);
      throw error;
    }
  }

  /** Stores what another instance has published. */
  async replace({ siteId, record }: SiteChange): Promise<void> {
    const { records, sha256 } = this.#parts;
    const name = recordOf(siteId, sha256);
    if (record) await replaceJsonRecord(records, name, siteRecordJson(record));
    else await records.remove(name);
  }

  async #publish(changes: readonly SiteChange[]): Promise<void> {
    await this.#parts.distribution?.publish?.(changes);
  }

  /** Other instances get back what they had. If that fails too, they keep the changes, and this one gets them from there. */
  async #withdraw(changes: readonly RecordChange[]): Promise<void> {
    const withdrawn = changes.map(({ siteId, before, changedMs }) => ({ siteId, record: before, changedMs: changedMs + 1 }));
    this.#noteWithdrawn(withdrawn);
    await this.#publish(withdrawn).catch(() => {
      // The caller gets the error of the write.
    });
  }

  #noteWithdrawn(changes: readonly SiteChange[]): void {
    this.#withdrawnMs = changes.reduce((latestMs, { changedMs }) => Math.max(latestMs, changedMs), this.#withdrawnMs);
  }

  /** When that fails, what the site had counts at the next start, too. */
  #store({ siteId, before, record }: RecordChange): Promise<void> {
    const { records, sha256 } = this.#parts;
    const name = recordOf(siteId, sha256);
    if (record === null) return records.remove(name);
    const to = siteRecordJson(record);
    return before ? updateJsonRecord(records, name, { from: siteRecordJson(before), to }) : createJsonRecord(records, name, to);
  }
}

function notStored(cause: unknown): never {
  throw storageUnavailable("The settings could not be stored and are unchanged. Try again later.", cause);
}

/** It is not known whether the others have the change. */
function notShared(cause: unknown): never {
  throw storageUnavailable("The settings could not be shared with the other nodes and may be unchanged. Try again later.", cause);
}
