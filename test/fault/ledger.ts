/** A record of the events that a process was sent and erased, and the comparison with its stores afterwards. */
import { type LocalDate, type SiteId, utcDateOf } from "../../src/storage/event.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { post, wireEvent } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import type { Environment } from "../support/target.ts";
import type { StoredEvents } from "./stored-events.ts";

export interface Sent {
  readonly site: string;
  readonly day: LocalDate;
  /** No other event has it. */
  readonly pathname: string;
  /** Whether the response has come, whatever it was. */
  answered: boolean;
  acknowledged: boolean;
  /** By the process' clock; 0 unless it was. */
  acknowledgedAtMs: number;
  erased: "no" | "perhaps" | "yes";
}

export class Ledger {
  readonly sent: Sent[];
  readonly #target: InProcessTarget;

  /** `sent` is what earlier processes on the same stores were sent. */
  constructor(target: InProcessTarget, sent: Sent[] = []) {
    this.#target = target;
    this.sent = sent;
  }

  /** Posts events side by side. */
  async send(site: string, count: number): Promise<void> {
    const { nowMs } = this.#target;
    const posts = Array.from({ length: count }, async () => {
      const entry: Sent = {
        site,
        day: utcDateOf(nowMs()),
        pathname: `/${this.sent.length}`,
        answered: false,
        acknowledged: false,
        acknowledgedAtMs: 0,
        erased: "no",
      };
      this.sent.push(entry);
      const response = await post(this.#target, wireEvent(site, { u: `https://page.test${entry.pathname}` }));
      entry.answered = true;
      entry.acknowledged = response.status === 202;
      if (entry.acknowledged) entry.acknowledgedAtMs = nowMs();
    });
    await Promise.all(posts);
  }

  /** Erases the days. Events that are being sent may be erased or not. */
  erase(site: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<boolean> {
    const { services } = this.#target;
    const isMeant = (entry: Sent) => entry.site === site && firstDay <= entry.day && entry.day <= lastDay;
    return this.#erasing(isMeant, () =>
      services.erasure.erase(site, firstDay, lastDay).then(
        () => true,
        () => false,
      ),
    );
  }

  /** A run of retention, after which what is older than its days is erased unless it failed. It promises nothing of events that it was never told of. */
  retain(days: number): Promise<boolean> {
    const { services, nowMs } = this.#target;
    const oldest = utcDateOf(nowMs() - days * 86_400_000);
    return this.#erasing(
      ({ day, acknowledged }) => acknowledged && day < oldest,
      async () => {
        const failures = services.counters.retentionFailures;
        await services.retention.run();
        return services.counters.retentionFailures === failures;
      },
    );
  }

  async #erasing(isMeant: (entry: Sent) => boolean, erase: () => Promise<boolean>): Promise<boolean> {
    const isLeft = (entry: Sent) => isMeant(entry) && entry.erased !== "yes";
    const before = this.sent.filter(isLeft);
    for (const entry of before) entry.erased = "perhaps";
    // What is still on its way may come after the erasure.
    const meant = new Set(before.filter(({ answered }) => answered));
    const erased = await erase();
    for (const entry of this.sent.filter(isLeft)) entry.erased = erased && meant.has(entry) ? "yes" : "perhaps";
    return erased;
  }
}

/** What is wrong with what is stored: each acknowledged event must be there once unless it was erased, and then not at all. */
export function wrongIn(pages: StoredEvents["pages"], sent: readonly Sent[]): string[] {
  return sent.flatMap(({ site, pathname, acknowledged, erased }) => {
    const page = `${site}${pathname}`;
    const times = pages.get(page) ?? 0;
    if (times > 1) return [`${page} is there ${times} times`];
    if (times === 0 && acknowledged && erased === "no") return [`${page} is lost`];
    return times > 0 && erased === "yes" ? [`${page} has come back`] : [];
  });
}

/** Runs the task in a process that dies at its end: it writes nothing more. */
export async function inProcess<T>(
  parts: InProcessParts,
  task: (target: InProcessTarget) => Promise<T>,
  environment: Environment = {},
): Promise<T> {
  const engine = await createEngineShare();
  const target = await createInProcessTarget(environment, { ...parts, engine });
  try {
    return await task(target);
  } finally {
    await target.services.compaction.stop();
    await target.services.rollups.stop();
    await engine.close();
  }
}
