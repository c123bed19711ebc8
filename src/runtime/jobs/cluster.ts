/** What a node does for the other nodes of its database: it announces itself, and carries out erasures that any of them was asked for. */
import type { EventStore } from "../../storage/event-store.ts";
import type { SiteId, UtcDay } from "../../storage/event.ts";
import type { Config } from "../config/config.ts";
import { isSiteId } from "../config/site-id.ts";
import type { Clickhouse } from "../engine/clickhouse/clickhouse.ts";
import { countOf, deletionOf, type DeletedEvents } from "../engine/clickhouse/deletion.ts";
import { isEmptied, type KnownNode } from "../engine/clickhouse/nodes.ts";
import { StoredSegments } from "../engine/clickhouse/stored-segments.ts";
import type { QueryService } from "../execution/query-service.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import { ClusterErasure } from "./cluster-erasure.ts";
import type { Erased, Erasure } from "./erasure.ts";
import { Membership, RemovedNodeError } from "./membership.ts";
import type { Job } from "./periodic-job.ts";

export interface ClusterParts {
  readonly clickhouse: Clickhouse;
  readonly eventStore: EventStore;
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

const FIRST_DAY = "0001-01-01" as UtcDay;

/** Deletes what ClickHouse has of a node that does not run, up to its last segment: it may start meanwhile. */
async function eraseRowsOf(
  { connection, tables }: Clickhouse,
  { node, lastSegment, state }: KnownNode,
  { siteId, firstDay, lastDay }: Pick<DeletedEvents, "siteId" | "firstDay" | "lastDay">,
) {
  const events = { node, siteId, firstDay, lastDay, exceptSegments: [], ...(state === "stopped" && { lastSegment }) };
  const [row] = await connection.rows(countOf(events, tables));
  const erased: Erased = { events: Number(row?.["events"] ?? 0), days: Number(row?.["days"] ?? 0) };
  if (erased.events > 0) for (const statement of deletionOf(events, tables)) await connection.execute(statement);
  return erased;
}

export class Cluster implements Job {
  readonly #parts: ClusterParts;
  readonly #membership: Membership;
  readonly #erasure: ClusterErasure;

  private constructor(parts: ClusterParts, membership: Membership) {
    const { clickhouse, randomBytes } = parts;
    this.#parts = parts;
    this.#membership = membership;
    this.#erasure = new ClusterErasure({
      ...parts,
      ...clickhouse,
      eraseRowsOf: (node, request) => eraseRowsOf(clickhouse, node, request),
      newId: () => Array.from(randomBytes(ID_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join(""),
    });
  }

  static async create(parts: ClusterParts): Promise<Cluster> {
    const startedMs = parts.now();
    return new Cluster(parts, await Membership.create({ ...parts, ...parts.clickhouse, startedMs }));
  }

  /**
   * Called before the node accepts events. Carries out what was requested while it did not run: later, events of the same days would
   * be erased that were accepted after the request had been answered. While ClickHouse does not respond, accepting events comes first.
   */
  async join(): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#membership.join();
      await this.#erasure.carryOut();
      await this.#warnOfMissingFiles();
    } catch (error) {
      if (error instanceof RemovedNodeError) throw error;
      log.warn("ClickHouse does not know of this node yet; events wait in the journal until it responds", { reason: reasonOf(error) });
    }
  }

  async #warnOfMissingFiles(): Promise<void> {
    const { clickhouse, eventStore, log } = this.#parts;
    if ((await eventStore.sites()).size === 0) return;
    const stored = await new StoredSegments(clickhouse).sites(isSiteId);
    if (stored.length === 0) log.warn('ClickHouse has none of the events in this node\'s files: stop, run "reindex", and start again');
  }

  /** See `ClusterErasure.erase`. */
  erase(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay, untilMs: number): Promise<Erased> {
    return this.#erasure.erase(siteId, firstDay, lastDay, untilMs);
  }

  /** Deletes the events up to the day that ClickHouse has of other nodes, which do not run and so cannot do it. */
  async deleteExpiredOfAbsent(lastDay: UtcDay): Promise<void> {
    const { clickhouse } = this.#parts;
    const others = (await clickhouse.nodes.all()).filter((other) => other.node !== clickhouse.node && isEmptied(other));
    for (const other of others) await eraseRowsOf(clickhouse, other, { siteId: null, firstDay: FIRST_DAY, lastDay });
  }

  tick(): void {
    this.#membership.tick();
    this.#erasure.tick();
  }

  async settled(): Promise<void> {
    await Promise.all([this.#membership.settled(), this.#erasure.settled()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#membership.stop(), this.#erasure.stop()]);
  }

  /** See `Membership.leave`. */
  leave(late: AbortSignal): Promise<void> {
    return this.#membership.leave(late);
  }
}
