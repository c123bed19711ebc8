/**
 * Erasures on several nodes. A request is recorded in ClickHouse; each node carries it out on its own journal, files and rows, and
 * confirms. A node that does not run does so at its start, before it accepts events.
 */
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import {
  ERASURE_CONFIRMATION_POLL_MS,
  ERASURE_POLL_MS,
  ERASURE_REQUEST_KEPT_MS,
  ERASURE_REQUESTS_MAX,
} from "../../base/config/clickhouse-limits.ts";
import { ClickhouseError, ClickhouseUnreachableError } from "../connection.ts";
import type { ErasureRequest, ErasureRequests } from "../deletion.ts";
import { isEmptied, type KnownNode, type Nodes } from "../nodes.ts";
import { AppError, STORAGE_RETRY_SECS, storageUnavailable } from "../../base/errors.ts";
import type { QueryService } from "../../results/query-service.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import type { Erased, Erasure } from "../../upkeep/erasure.ts";
import { PeriodicJob } from "../../base/periodic-job.ts";

interface ClusterErasureOptions {
  readonly erasure: Pick<Erasure, "erase">;
  readonly requests: ErasureRequests;
  readonly nodes: Pick<Nodes, "all">;
  /** The id of this node. */
  readonly node: string;
  /** Deletes the rows of a node that cannot do so itself; resolves to their number and that of their days. */
  readonly eraseRowsOf: (node: KnownNode, request: ErasureRequest) => Promise<Erased>;
  readonly stats: Pick<QueryService, "dropSite">;
  readonly newId: () => string;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const SECOND_MS = 1000;

const nameOf = ({ node, seenMsAgo }: KnownNode): string => `${node} (last seen ${Math.round(seenMsAgo / SECOND_MS)} s ago)`;

function unconfirmed(named: readonly string[]): AppError {
  return new AppError(
    { code: "unavailable", retryAfterSecs: STORAGE_RETRY_SECS },
    `These nodes have not erased the events yet: ${named.join(", ")}. They will when they run; repeat the request to learn of it.`,
  );
}

export class ClusterErasure {
  readonly #options: ClusterErasureOptions;
  readonly job: PeriodicJob;
  /** Erasures that are done here and not yet confirmed. */
  readonly #erased = new Map<string, Erased>();
  #tidiedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ClusterErasureOptions) {
    this.#options = options;
    this.job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => true,
      run: () => this.#attempt(),
      pauseMs: ERASURE_POLL_MS,
      retryMs: ERASURE_POLL_MS,
    });
  }

  /**
   * Erases like `Erasure.erase` on all nodes: resolves when no node has such an event, and none can come back. 503 with the nodes that have
   * not confirmed by `untilMs` (monotonic).
   */
  async erase(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, untilMs: number): Promise<Erased> {
    const { newId, stats } = this.#options;
    const request = { id: newId(), siteId, firstDay, lastDay };
    try {
      await this.#record(request);
      const emptied = await this.#confirmed(request, untilMs);
      return await this.#sum(request, emptied);
    } catch (error) {
      if (!(error instanceof ClickhouseError || error instanceof ClickhouseUnreachableError)) throw error;
      throw storageUnavailable("The events could not all be erased, because ClickHouse does not respond. Try again later.", error);
    } finally {
      stats.dropSite(siteId);
    }
  }

  async #record(request: ErasureRequest): Promise<void> {
    const { requests } = this.#options;
    if ((await requests.count()) >= ERASURE_REQUESTS_MAX) {
      throw storageUnavailable("Too many erasures wait for nodes that do not run. Start these nodes, or remove them.", null);
    }
    await requests.add(request);
    // A run that began before does not know the request.
    await this.job.settled();
    void this.job.run();
  }

  /**
   * Resolves with the nodes that need not confirm, once all others have. This node always has to: as long as it could not announce
   * itself, it counts as stopped, or is unknown.
   */
  async #confirmed({ id }: ErasureRequest, untilMs: number): Promise<KnownNode[]> {
    const { requests, nodes, node: self, monotonicMs, wait } = this.#options;
    for (;;) {
      const known = await nodes.all();
      const confirmed = (await requests.confirmations(id)).nodes;
      const open = known.filter((node) => !confirmed.has(node.node));
      const others = open.filter((node) => node.node !== self && !isEmptied(node)).map(nameOf);
      const missing = confirmed.has(self) ? others : [`${self} (this node)`, ...others];
      if (missing.length === 0) return open;
      if (monotonicMs() >= untilMs) throw unconfirmed(missing);
      await wait(ERASURE_CONFIRMATION_POLL_MS);
    }
  }

  async #sum(request: ErasureRequest, emptied: readonly KnownNode[]): Promise<Erased> {
    let { events, days } = await this.#options.requests.confirmations(request.id);
    for (const node of emptied) {
      const erased = await this.#options.eraseRowsOf(node, request);
      events += erased.events;
      days += erased.days;
    }
    return { events, days };
  }

  /** Carries out what was requested. Rejects if some of it could not be. */
  async carryOut(): Promise<void> {
    for (const request of await this.#options.requests.pending()) await this.#carryOut(request);
    for (const { siteId } of await this.#options.requests.recent()) this.#options.stats.dropSite(siteId);
  }

  async #carryOut({ id, siteId, firstDay, lastDay }: ErasureRequest): Promise<void> {
    const { erasure, requests, log } = this.#options;
    const erased = this.#erased.get(id) ?? (await erasure.erase(siteId, firstDay, lastDay));
    this.#erased.set(id, erased);
    await requests.confirm(id, erased);
    this.#erased.delete(id);
    log.info("events of this node were erased on request", { siteId, firstDay, lastDay, ...erased });
  }

  async #attempt(): Promise<boolean> {
    try {
      await this.carryOut();
      await this.#tidy();
      return true;
    } catch (error) {
      if (!(error instanceof ClickhouseUnreachableError))
        this.#options.log.error("erasures that were requested could not be carried out; it is tried again", { reason: reasonOf(error) });
      return false;
    }
  }

  async #tidy(): Promise<void> {
    const { requests, nodes, monotonicMs } = this.#options;
    if (monotonicMs() - this.#tidiedMs < ERASURE_REQUEST_KEPT_MS) return;
    this.#tidiedMs = monotonicMs();
    const present = (await nodes.all()).filter(({ state }) => state !== "removed").map(({ node }) => node);
    await requests.forget(present, ERASURE_REQUEST_KEPT_MS);
  }
}
