/** How many events a second a key may send: token buckets, each kept as the one instant at which it is full again. */

export type RateVerdict =
  | { readonly allowed: true }
  /** Whole seconds, at least 1, after which one event would be allowed. */
  | { readonly allowed: false; readonly retryAfterSecs: number };

export interface RateLimit {
  /** Whether an event of `key` is allowed at `nowMs`. Takes nothing. */
  peek(key: string, nowMs: number): RateVerdict;
  /** As `peek`, and takes a token when it is. */
  take(key: string, nowMs: number): RateVerdict;
}

export interface RateLimitOptions {
  /** Tokens that flow into each bucket, which holds a second's worth and at least one. 0 = no limit. Need not be whole. */
  readonly perSecond: number;
  /** How many buckets are remembered. */
  readonly bucketsMax: number;
}

const ALLOWED: RateVerdict = { allowed: true };

const NO_LIMIT: RateLimit = { peek: () => ALLOWED, take: () => ALLOWED };

/** Valid keys (site ids, addresses) are no longer. */
const KEY_CHARS_MAX = 256;

/** The bucket of all keys that cannot be valid, so that no sender fills the memory with long ones. */
const UNFIT_KEY = " ";

/** The bucket of the keys for which there is no room. */
const CROWD_KEY = "";

/** How many buckets are looked at when room is needed for one: a bound on the work of a single event. */
const FULL_BUCKET_LOOKS_MAX = 16;

/** Sums of intervals are not exact; a thousandth of a millisecond is nobody's loss. */
const TOLERANCE_MS = 0.001;

/** A limit of its own clock and buckets. */
export function createRateLimit({ perSecond, bucketsMax }: RateLimitOptions): RateLimit {
  if (perSecond <= 0) return NO_LIMIT;
  const tokenMs = 1000 / perSecond;
  const capacityMs = Math.max(1, perSecond) * tokenMs;
  /** When each bucket is full again; roughly, the longest unused first. A bucket that is not here is full. */
  const fullAtMs = new Map<string, number>();
  const clock = createForwardClock();

  /** A full bucket is no different from none, so these may go; the others may not, or their keys would have a burst again. */
  function forgetFullBuckets(elapsedMs: number): void {
    let looks = FULL_BUCKET_LOOKS_MAX;
    for (const [key, fullMs] of fullAtMs) {
      fullAtMs.delete(key);
      // To the end of the line: the next search begins behind it.
      if (fullMs > elapsedMs) fullAtMs.set(key, fullMs);
      if (--looks === 0) return;
    }
  }

  function bucketOf(key: string, elapsedMs: number): string {
    if (key === CROWD_KEY || key.length > KEY_CHARS_MAX) return UNFIT_KEY;
    if (fullAtMs.has(key)) return key;
    if (fullAtMs.size >= bucketsMax) forgetFullBuckets(elapsedMs);
    return fullAtMs.size >= bucketsMax ? CROWD_KEY : key;
  }

  /** When the bucket is full again. One that is new takes over what the crowd owes: its key may have been one of it. */
  function fullMsOf(bucket: string, elapsedMs: number): number {
    return Math.max(elapsedMs, fullAtMs.get(bucket) ?? fullAtMs.get(CROWD_KEY) ?? 0);
  }

  function verdictOf(bucket: string, elapsedMs: number): RateVerdict {
    const remainingMs = fullMsOf(bucket, elapsedMs) - elapsedMs + tokenMs - capacityMs;
    if (remainingMs <= TOLERANCE_MS) return ALLOWED;
    return { allowed: false, retryAfterSecs: Math.max(1, Math.ceil((remainingMs - TOLERANCE_MS) / 1000)) };
  }

  return {
    peek(key, nowMs) {
      const elapsedMs = clock(nowMs);
      return verdictOf(bucketOf(key, elapsedMs), elapsedMs);
    },
    take(key, nowMs) {
      const elapsedMs = clock(nowMs);
      const bucket = bucketOf(key, elapsedMs);
      const verdict = verdictOf(bucket, elapsedMs);
      if (!verdict.allowed) return verdict;
      const fullMs = fullMsOf(bucket, elapsedMs) + tokenMs;
      // Put back at the end: those at the front are the likeliest to be full when room is needed.
      fullAtMs.delete(bucket);
      fullAtMs.set(bucket, fullMs);
      return verdict;
    },
  };
}

export interface RateClaim {
  readonly limit: RateLimit;
  readonly key: string;
}

/** Takes a token for each claim when all of them are allowed; else takes none and tells the longest wait. */
export function takeFromAll(claims: readonly RateClaim[], nowMs: number): RateVerdict {
  let retryAfterSecs = 0;
  for (const { limit, key } of claims) {
    const verdict = limit.peek(key, nowMs);
    if (!verdict.allowed) retryAfterSecs = Math.max(retryAfterSecs, verdict.retryAfterSecs);
  }
  if (retryAfterSecs > 0) return { allowed: false, retryAfterSecs };
  for (const { limit, key } of claims) limit.take(key, nowMs);
  return ALLOWED;
}

/** Time since the first call, in ms, that stands still where the given clock jumps back and then goes on from there. */
function createForwardClock(): (nowMs: number) => number {
  let lastMs: number | null = null;
  let elapsedMs = 0;
  return (nowMs) => {
    elapsedMs += Math.max(0, nowMs - (lastMs ?? nowMs));
    lastMs = nowMs;
    return elapsedMs;
  };
}
