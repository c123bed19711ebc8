/** How what is set for a site on one instance reaches the others. */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import type { SiteRecord } from "./site-record.ts";

/** A record after a change; null after its removal. */
export interface SiteChange {
  readonly siteId: SiteId;
  readonly record: SiteRecord | null;
  /** Of two changes of a site, the later one counts, on whichever instance it was made; of two at the same time, the one published last. */
  readonly changedMs: EpochMs;
}

export interface RecordChange extends SiteChange {
  /** What the site has until then. Null without a record. */
  readonly before: SiteRecord | null;
}

/** How changes reach the other instances. */
export interface SiteDistribution {
  /** How long that may take, in milliseconds: no calendar changes earlier, so that all instances give an instant the same date. */
  readonly settleMs: number;
  /** Called before changes are stored here. A rejection refuses them, but some may have reached others, and come back from there. */
  publish?(changes: readonly SiteChange[]): Promise<void>;
  /** Called when a change counts here. Must not reject. */
  push?(change: RecordChange): Promise<void>;
}
