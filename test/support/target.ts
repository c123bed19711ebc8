/** The service under test of the HTTP suites, on any host, with the abilities that the host offers to tests. */
import { it } from "vitest";
import { skippedFor } from "./skipped.ts";

/** Options as an environment has them, e.g. `{ SVC_SITE_IDS: "a.com" }`. */
export type Environment = Readonly<Record<string, string>>;

/** The default options of targets: results are not cached, so that a case can post and query at once. */
export const TARGET_DEFAULTS: Environment = { SVC_CACHE_TTL_SECS: "0" };

/** A demo site of few days, where its length does not matter: a year of them takes seconds to make. */
export const SHORT_DEMO: Environment = { SVC_RETENTION_DAYS: "3" };

export interface TargetRequest extends RequestInit {
  /** Needed with a stream for a body, and missing from the library's types. */
  readonly duplex?: "half";
  /** The header `Host`, if it is not the target's own address. */
  readonly host?: string;
  /** The client's address instead of 127.0.0.1, for targets with `comesFromAnywhere`. */
  readonly from?: string;
}

export interface Target {
  readonly name: string;
  /** Sends a request from 127.0.0.1. A `User-Agent` that is not given is the host's business, so cases that store events give one. */
  fetch(path: string, init?: TargetRequest): Promise<Response>;
  /** The current time of the service. */
  nowMs(): number;
  /** Responds before the body has arrived, and lets the client send the rest of it. */
  readonly answersEarly?: true;
  /** Accepts requests from any client address. */
  readonly comesFromAnywhere?: true;
  /** Answers reports from its journal and its files, not from a database that has copies of their events. */
  readonly readsFiles?: true;
  /** The setup code printed at the start; null if a password was already set. */
  setupCode?(): Promise<string | null>;
  /** Advances the clock and runs all jobs that are due. */
  advance?(ms: number): Promise<void>;
  /** Flushes all journaled events. */
  flush?(): Promise<void>;
  /** Shuts down gracefully and starts again on the same data. */
  restart?(): Promise<void>;
  /** Crashes without writing anything and starts again on the same data. No flush may be running. */
  crash?(): Promise<void>;
  close(): Promise<void>;
}

export type Ability = "answersEarly" | "comesFromAnywhere" | "readsFiles" | "setupCode" | "advance" | "flush" | "restart" | "crash";

export type AbleTarget<A extends Ability> = Target & Required<Pick<Target, A>>;

export interface SkippedCase {
  readonly case: string;
  readonly reason: string;
}

export interface NeedingCase {
  readonly case: string;
  readonly abilities: readonly Ability[];
}

export interface MakeTarget {
  /** A target with these options. Another suite may have used it, so each case uses its own sites. */
  (environment?: Environment): Promise<Target>;
  /** The abilities that its targets lack, with the reason, which is the skip reason of cases that need them. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>;
  /** Cases skipped because the targets lack an ability. */
  readonly skipped: SkippedCase[];
  /** All cases that need abilities, skipped or not. */
  readonly needing: NeedingCase[];
}

/** A case that needs abilities. On targets without one of them, the case is skipped with the reason and listed. */
export function itNeeds(makeTarget: MakeTarget, abilities: Ability | readonly Ability[], name: string, run: () => Promise<void>): void {
  const needed = [abilities].flat();
  makeTarget.needing.push({ case: name, abilities: needed });
  const reason = needed.flatMap((ability) => makeTarget.lacks[ability] ?? [])[0];
  if (reason !== undefined) makeTarget.skipped.push({ case: name, reason });
  it(name, skippedFor(reason), run);
}

/** The target's ability, which `itNeeds` has checked. */
export function able<A extends Ability>(target: Target, ability: A): NonNullable<Target[A]> {
  const method = target[ability];
  if (method === undefined) throw new Error(`${target.name} cannot ${ability}; register the case with itNeeds`);
  return method as NonNullable<Target[A]>;
}

/** Site ids that no other case of the same suite has: `prefix-1.test`, `prefix-2.test`, … */
export function siteNames(prefix: string): () => string {
  let count = 0;
  return () => `${prefix}-${++count}.test`;
}
