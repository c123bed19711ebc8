/** A node's work for the other nodes of its database: it announces itself, shares settings of sites, and carries out erasures. */
import type { EventStore, ExpiredDays } from "../../../storage/event-store.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import type { RecordStore } from "../../../storage/record-store.ts";
import type { Config } from "../../base/config/config.ts";
import type { Clickhouse } from "../clickhouse.ts";
import { countOf, deletionOf, type DeletedEvents } from "../deletion.ts";
import { StoredSegments, type EventCatalog } from "../clickhouse-events.ts";
import { isEmptied, type KnownNode } from "../nodes.ts";
import { toHex } from "../../base/bytes.ts";
import { storageUnavailable } from "../../base/errors.ts";
import type { QueryService } from "../../results/query-service.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import { ClusterErasure } from "./cluster-erasure.ts";
import type { Sites } from "../../sites/sites.ts";
import type { Erased, Erasure } from "../../upkeep/erasure.ts";
import { ClusterSettings, type Exchanged } from "./cluster-settings.ts";
import { Membership, RemovedNodeError } from "./membership.ts";
import type { Job } from "../../base/periodic-job.ts";

interface ClusterParts {
  readonly clickhouse: Clickhouse;
  readonly eventStore: EventStore;
  readonly catalog: Pick<EventCatalog, "sites">;
  readonly sites: Sites;
  /** Goals, saved filters and annotations. */
  readonly items: readonly Exchanged[];
  readonly records: RecordStore;
  readonly erasure: Erasure;
  readonly stats: QueryService;
  readonly config: Config;
  readonly version: string;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly log: Log;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const ID_BYTES = 16;

/** Deletes what ClickHouse has of a node that does not run, up to its last segment: it may start meanwhile. */
async function eraseRowsOf({ connection, tables }: Clickhouse, { node, lastSegment, state }: KnownNode, days: DeletedEvents["days"]) {
  const events = { node, days, exceptSegments: [], ...(state === "stopped" && { lastSegment }) };
  const [row] = await connection.rows(countOf(events, tables));
  const erased: Erased = { events: Number(row?.["events"] ?? 0), days: Number(row?.["days"] ?? 0) };
  if (erased.events > 0) for (const statement of deletionOf(events, tables)) await connection.execute(statement);
  return erased;
}

export class Cluster implements Job {
  readonly #parts: ClusterParts;
  readonly #membership: Membership;
  readonly #settings: ClusterSettings;
  readonly #erasure: ClusterErasure;
  readonly #jobs: readonly Job[];

  private constructor(parts: ClusterParts, membership: Membership) {
    const { clickhouse, catalog, randomBytes } = parts;
    this.#parts = parts;
    this.#membership = membership;
    const hasEvents = async () => !membership.isAlone || (await catalog.sites()).size > 0;
    this.#settings = new ClusterSettings({ ...parts, ...clickhouse, hasEvents });
    this.#erasure = new ClusterErasure({
      ...parts,
      ...clickhouse,
      eraseRowsOf: (node, { siteId, firstDay, lastDay }) => eraseRowsOf(clickhouse, node, { siteId, firstDay, lastDay }),
      newId: () => toHex(randomBytes(ID_BYTES)),
    });
    this.#jobs = [membership, this.#settings, this.#erasure].map(({ job }) => job);
  }

  static async create(parts: ClusterParts): Promise<Cluster> {
    const startedMs = parts.now();
    return new Cluster(parts, await Membership.create({ ...parts, ...parts.clickhouse, startedMs }));
  }

  /** See `Membership.isAlone`. */
  get isAlone(): boolean {
    return this.#membership.isAlone;
  }

  /**
   * Called before the node accepts events. Takes over settings of sites. Carries out what was requested while it did not run: later, events of the same days would
   * be erased that were accepted after the request had been answered. While ClickHouse does not respond, accepting events comes first.
   */
  async join(): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#membership.join();
      await this.#erasure.carryOut();
      await this.#settings.exchange();
      await this.#warnOfMissingFiles();
    } catch (error) {
      if (error instanceof RemovedNodeError) throw error;
      log.warn("ClickHouse does not know of this node yet; events wait in the journal until it responds", { reason: reasonOf(error) });
    }
  }

  async #warnOfMissingFiles(): Promise<void> {
    const { clickhouse, eventStore, log } = this.#parts;
    if ((await eventStore.sites()).size === 0) return;
    const stored = await new StoredSegments(clickhouse).sites();
    if (stored.length === 0) log.warn('ClickHouse has none of the events in this node\'s files: stop, run "reindex", and start again');
  }

  /** See `ClusterErasure.erase`. */
  erase(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, untilMs: number): Promise<Erased> {
    return this.#erasure.erase(siteId, firstDay, lastDay, untilMs);
  }

  /** Called before items that all nodes have made for a site are removed. 503 if their latest state cannot be known. */
  async takeOverSettings(): Promise<void> {
    if (await this.#settings.takeOver()) return;
    throw storageUnavailable("The deletion could not be shared with the other nodes. Try again later.", null);
  }

  /** Deletes the expired events that ClickHouse has of other nodes, which do not run and so cannot do it. */
  async deleteExpiredOfAbsent(expired: ExpiredDays): Promise<void> {
    const { clickhouse } = this.#parts;
    const others = (await clickhouse.nodes.all()).filter((other) => other.node !== clickhouse.node && isEmptied(other));
    for (const other of others) await eraseRowsOf(clickhouse, other, expired);
  }

  tick(): void {
    for (const job of this.#jobs) job.tick();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#jobs.map((job) => job.settled()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#jobs.map((job) => job.stop()));
  }

  /** See `Membership.leave`. */
  leave(late: AbortSignal): Promise<void> {
    return this.#membership.leave(late);
  }
}
