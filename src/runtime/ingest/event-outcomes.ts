/**
 * The outcomes of each site's events, for the installation check (docs/http-api.md, "Installation check"). Counts and times in memory, of
 * names only: nothing about the page or its visitor (docs/privacy.md, "What is not stored").
 */
import type { EpochMs } from "../../storage/event.ts";
import { OUTCOME_NAMES_MAX, SITE_ID_CHARS_MAX } from "../base/config/limits.ts";
import { isSiteId } from "../base/config/names.ts";
import { AppError, type AppErrorCode } from "../base/errors.ts";
import { parseUrl } from "./urls.ts";

/** Ordered as an event is processed. */
export const OUTCOMES = [
  "accepted",
  "bot",
  "excluded",
  "origin_not_allowed",
  "site_not_allowed",
  "too_many_sites",
  "rate_limited",
  "invalid",
  "not_stored",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

export interface OutcomeCount {
  /** The site; for an event that was refused before its site was read, the host of the page. */
  readonly name: string;
  readonly outcome: Outcome;
  /** Counted since the start, or since the name was evicted. */
  readonly count: number;
  readonly latestMs: EpochMs;
}

interface Name {
  /** Start of the count. */
  readonly sinceMs: EpochMs;
  latestMs: EpochMs;
  readonly counts: Map<Outcome, { count: number; latestMs: EpochMs }>;
}

const OUTCOME_OF_ERROR: Readonly<Partial<Record<AppErrorCode, Outcome>>> = {
  invalid_input: "invalid",
  malformed_body: "invalid",
  too_many_requests: "rate_limited",
  demo_site: "site_not_allowed",
};

export interface EventOutcomesOptions {
  /** `site_ids` is set. Otherwise a site is refused only because of `max_sites`. */
  readonly hasAllowlist: boolean;
  readonly startedAtMs: EpochMs;
  readonly namesMax?: number;
}

export class EventOutcomes {
  readonly #names = new Map<string, Name>();
  readonly #hasAllowlist: boolean;
  /** The latest event of all evicted names. A name that is not counted had none since. */
  #evictedMs: EpochMs;
  readonly #namesMax: number;

  constructor({ hasAllowlist, startedAtMs, namesMax = OUTCOME_NAMES_MAX }: EventOutcomesOptions) {
    this.#evictedMs = startedAtMs;
    this.#hasAllowlist = hasAllowlist;
    this.#namesMax = namesMax;
  }

  /** Names that are not site ids are not counted. */
  note(name: string, outcome: Outcome, nowMs: EpochMs): void {
    this.add({ name, outcome, count: 1, latestMs: nowMs });
  }

  /** Adds what another instance has counted. */
  add({ name, outcome, count, latestMs }: OutcomeCount): void {
    const counted = this.#countedName(name);
    if (counted === null) return;
    counted.latestMs = Math.max(counted.latestMs, latestMs);
    const known = counted.counts.get(outcome);
    if (known === undefined) {
      counted.counts.set(outcome, { count, latestMs });
      return;
    }
    known.count += count;
    known.latestMs = Math.max(known.latestMs, latestMs);
  }

  /** Returns the counts since the last call, and restarts from zero. */
  take(): OutcomeCount[] {
    const taken = [...this.#names.keys()].flatMap((name) => this.of(name));
    this.#names.clear();
    return taken;
  }

  /** A refused event. `siteId` is null if the event was refused before its site was read. */
  noteRefusal(siteId: string | null, origin: string | null, error: unknown, nowMs: EpochMs): void {
    // Listed by `UnknownAliases`: the page's host says nothing about the site.
    if (error instanceof AppError && error.failure.code === "unknown_alias") return;
    const name = siteId ?? (origin === null ? null : (parseUrl(origin)?.hostname ?? null));
    if (name !== null) this.note(name, this.#outcomeOf(error, siteId !== null), nowMs);
  }

  /** The time from which the counts of a name are complete: the start, or later if names have been evicted before it was counted. */
  sinceMsOf(name: string): EpochMs {
    return this.#names.get(name)?.sinceMs ?? this.#evictedMs;
  }

  of(name: string): OutcomeCount[] {
    const counts = this.#names.get(name)?.counts ?? [];
    return [...counts].map(([outcome, counted]) => ({ name, outcome, ...counted }));
  }

  /** The counts of the other names with the latest events, the latest first. */
  ofOthers(name: string, namesMax: number): OutcomeCount[] {
    return [...this.#names]
      .filter(([other]) => other !== name)
      .sort(([, a], [, b]) => b.latestMs - a.latestMs)
      .slice(0, namesMax)
      .flatMap(([other]) => this.of(other));
  }

  #outcomeOf(error: unknown, isSiteRead: boolean): Outcome {
    const code = error instanceof AppError ? error.failure.code : null;
    if (code !== "forbidden") return (code !== null && OUTCOME_OF_ERROR[code]) || "not_stored";
    if (!isSiteRead) return "origin_not_allowed";
    return this.#hasAllowlist ? "site_not_allowed" : "too_many_sites";
  }

  #countedName(name: string): Name | null {
    if (name.length > SITE_ID_CHARS_MAX) return null;
    const known = this.#names.get(name);
    if (known) return known;
    if (!isSiteId(name)) return null;
    if (this.#names.size >= this.#namesMax) this.#evict();
    const added: Name = { sinceMs: this.#evictedMs, latestMs: 0, counts: new Map() };
    this.#names.set(name, added);
    return added;
  }

  /** Removes the name whose latest event is the oldest. */
  #evict(): void {
    let [oldest, oldestMs] = ["", Number.POSITIVE_INFINITY];
    for (const [name, { latestMs }] of this.#names) if (latestMs < oldestMs) [oldest, oldestMs] = [name, latestMs];
    this.#names.delete(oldest);
    this.#evictedMs = Math.max(this.#evictedMs, oldestMs);
  }
}
