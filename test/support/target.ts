/** What the HTTP suites run against: a service that answers requests, wherever it runs and whatever else it lets a test do. */
import { it } from "vitest";
import { skippedFor } from "./skipped.ts";

/** Options as an environment has them, e.g. `{ SVC_SITE_IDS: "a.com" }`. */
export type Environment = Readonly<Record<string, string>>;

/** The default options of targets: results are not cached, so that a case can post and query at once. */
export const TARGET_DEFAULTS: Environment = { SVC_CACHE_TTL_SECS: "0" };

export interface TargetRequest extends RequestInit {
  /** Needed with a stream for a body, and missing from the library's types. */
  readonly duplex?: "half";
  /** The header `Host`, if it is not the target's own address. */
  readonly host?: string;
  /** The connection's address in the place of 127.0.0.1, for targets with `comesFromAnywhere`. */
  readonly from?: string;
}

export interface Target {
  readonly name: string;
  /** Sends a request from 127.0.0.1. A `User-Agent` that is not given is the host's business, so cases that store events give one. */
  fetch(path: string, init?: TargetRequest): Promise<Response>;
  /** The current time of the service. */
  nowMs(): number;
  /** Answers a request whose body is still on its way, and lets the client send the rest of it. */
  readonly answersEarly?: true;
  /** Takes requests from any address. */
  readonly comesFromAnywhere?: true;
  /** The setup code that was printed at the start; null where there was or is a password. */
  setupCode?(): Promise<string | null>;
  /** Advances the clock and runs what is due. */
  advance?(ms: number): Promise<void>;
  /** Writes everything journaled into files. */
  flush?(): Promise<void>;
  /** Stops in order and starts again on the same data. */
  restart?(): Promise<void>;
  /** Dies without a chance to write anything and starts again on the same data. No flush is under way. */
  crash?(): Promise<void>;
  close(): Promise<void>;
}

export type Ability = "answersEarly" | "comesFromAnywhere" | "setupCode" | "advance" | "flush" | "restart" | "crash";

export type AbleTarget<A extends Ability> = Target & Required<Pick<Target, A>>;

export interface SkippedCase {
  readonly case: string;
  readonly reason: string;
}

export interface MakeTarget {
  /** A target with these options. Another suite may have used it, so each case uses its own sites. */
  (environment?: Environment): Promise<Target>;
  /** What its targets cannot do, and why: the reason why cases that need it are skipped. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>;
  /** The cases that were skipped because the targets lack an ability. */
  readonly skipped: SkippedCase[];
}

/** A case for the targets that have the ability. On the others it is skipped with the reason, and kept for the list of skips. */
export function itNeeds(makeTarget: MakeTarget, ability: Ability, name: string, run: () => Promise<void>): void {
  const reason = makeTarget.lacks[ability];
  if (reason !== undefined) makeTarget.skipped.push({ case: name, reason });
  it(name, skippedFor(reason), run);
}

/** The target's ability, which `itNeeds` has made sure of. */
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
