/** Announces a node to the others that share its database, and checks that their options fit together. */
import type { EventStore } from "../../../storage/event-store.ts";
import { NODE_ANNOUNCEMENT_MS } from "../../base/config/clickhouse-limits.ts";
import type { Config } from "../../base/config/config.ts";
import type { KnownNode, Nodes, NodeState } from "../nodes.ts";
import { toHex } from "../../base/bytes.ts";
import { createHmacSha256 } from "../../ingest/visitor-salt.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import { PeriodicJob } from "../../base/periodic-job.ts";

interface MembershipOptions {
  readonly nodes: Nodes;
  /** The id of this node. */
  readonly node: string;
  readonly config: Config;
  readonly version: string;
  readonly eventStore: Pick<EventStore, "unflushedEvents" | "openSegment">;
  readonly log: Log;
  readonly startedMs: number;
  readonly monotonicMs: () => number;
}

const SECRET_CHECK_LABEL = "node secret check";

/** Few, so that whoever reads them can hardly test a guess of the secret, and two secrets are told apart all the same. */
const SECRET_CHECK_BYTES = 2;

/** A node that has been silent for longer is not compared. */
const SILENT_MS = 60_000;

/** A few bits of an HMAC of a fixed text; empty without a secret. */
async function secretCheckOf({ secret }: Pick<Config, "secret">): Promise<string> {
  if (secret === null) return "";
  const hmac = await createHmacSha256();
  const code = hmac.digest(hmac.keyFrom(secret.reveal()), SECRET_CHECK_LABEL);
  return toHex(code.subarray(0, SECRET_CHECK_BYTES));
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly job: PeriodicJob;
  readonly #secretCheck: string;
  /** True if no other node has events or can accept any, as far as this one has been told. */
  isAlone = false;
  /** The last logged message, which is logged once. */
  #reported = "";

  private constructor(options: MembershipOptions, secretCheck: string) {
    this.#options = options;
    this.#secretCheck = secretCheck;
    this.job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => true,
      run: () => this.#attempt(),
      pauseMs: NODE_ANNOUNCEMENT_MS,
      retryMs: NODE_ANNOUNCEMENT_MS,
    });
  }

  static async create(options: MembershipOptions): Promise<Membership> {
    return new Membership(options, await secretCheckOf(options.config));
  }

  /** Rejects if ClickHouse does not respond, or if an administrator has removed the node: its data are not the truth any more. */
  async join(): Promise<void> {
    const { nodes, node } = this.#options;
    const known = await nodes.all();
    if (known.find((other) => other.node === node)?.state === "removed") throw new RemovedNodeError(node);
    await this.#announce("running");
    this.#compare(known);
  }

  /** Called when the journal is closed. Gives up when the signal aborts: then the node counts as one that may have events. */
  async leave(late: AbortSignal): Promise<void> {
    await this.#announce("stopped", late).catch((error: unknown) => {
      this.#options.log.warn("ClickHouse does not know that this node has stopped", { reason: reasonOf(error) });
    });
  }

  /** Failures are silent: flushes and reports tell of a ClickHouse that does not respond. */
  async #attempt(): Promise<boolean> {
    try {
      await this.#announce("running");
      this.#compare(await this.#options.nodes.all());
      return true;
    } catch {
      return false;
    }
  }

  #announce(state: NodeState, signal?: AbortSignal): Promise<void> {
    const { nodes, node, config, version, eventStore, startedMs } = this.#options;
    const { role, visitorSaltRotationDays: rotationDays } = config;
    const { unflushedEvents: unflushed, openSegment } = eventStore;
    const journal = { unflushed, lastSegment: openSegment.number };
    return nodes.announce({ node, role, version, state, startedMs, secretCheck: this.#secretCheck, rotationDays, ...journal }, signal);
  }

  #compare(known: readonly KnownNode[]): void {
    const { node, config, log } = this.#options;
    this.isAlone = known.every((other) => other.node === node || other.state === "removed");
    const others = known.filter((other) => other.node !== node && other.state === "running" && other.seenMsAgo < SILENT_MS);
    const namesOf = (isWrong: (other: KnownNode) => boolean) => others.filter(isWrong).map((other) => other.node);
    const secrets = namesOf(({ secretCheck }) => secretCheck !== this.#secretCheck || secretCheck === "");
    const rotations = namesOf(({ rotationDays }) => rotationDays !== config.visitorSaltRotationDays);
    const found = [secrets.join(), rotations.join()].join(" ");
    if (found === this.#reported) return;
    this.#reported = found;
    if (secrets.length > 0) log.error("other nodes have another secret, or none: visitors count once for each", { nodes: secrets.join() });
    if (rotations.length > 0)
      log.error("other nodes have another visitor_salt_rotation_days: visitors count several times", { nodes: rotations.join() });
  }
}

/** Stops the start. */
export class RemovedNodeError extends Error {
  override readonly name = "RemovedNodeError";

  constructor(node: string) {
    super(`the node ${node} was removed from the cluster. Start with an empty data folder; the folder of a removed node is outdated`);
  }
}
