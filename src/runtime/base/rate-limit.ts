/**
 * Token buckets, one per key (docs/http-api.md, "Rate limits"), and the keys of client addresses. A bucket is stored as the instant at
 * which it is full again.
 */

const GROUPS = 8;

/** A /64, the smallest network that a customer gets (RFC 6177). */
const NETWORK_GROUPS = 4;

/** A /32, the smallest network that a provider gets, out of which it may give a customer many of the above. */
const WIDE_NETWORK_GROUPS = 2;

const groupsIn = (text: string): string[] => text.split(":").filter((group) => group !== "");

function headOf(address: string, groups: number): string {
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [groupsIn(head), groupsIn(tail)];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => "0");
  return [...first, ...zeros, ...last].slice(0, groups).join(":");
}

/**
 * An IPv4 address itself, the /64 network of an IPv6 address. Expects canonical addresses, as the handlers pass them: IPv6 in its
 * shortest form (RFC 5952), and IPv4-mapped addresses as IPv4. Visitor ids still use the whole address.
 */
export const rateLimitKeyOf = (address: string): string => (address.includes(":") ? `${headOf(address, NETWORK_GROUPS)}::/64` : address);

/** The /16 network of an IPv4 address, the /32 network of an IPv6 address: who changes addresses easily stays within a few of them. */
export const wideNetworkOf = (address: string): string =>
  address.includes(":") ? `${headOf(address, WIDE_NETWORK_GROUPS)}::/32` : `${address.split(".", 2).join(".")}.0.0/16`;

export type RateVerdict =
  | { readonly allowed: true }
  /** Whole seconds, at least 1, until one event is allowed. */
  | { readonly allowed: false; readonly retryAfterSecs: number };

export interface RateLimit {
  /** True if an event of `key` is allowed at `nowMs`. Takes no token. */
  peek(key: string, nowMs: number): RateVerdict;
  /** Checks like `peek`, and takes a token if the event is allowed. */
  take(key: string, nowMs: number): RateVerdict;
  /** Undoes a `take` of the key that was allowed. */
  giveBack(key: string, nowMs: number): void;
}

/** A rate limit that another instance keeps. Its clock is its own. */
export interface RemoteRateLimit {
  peek(key: string): Promise<RateVerdict>;
  take(key: string): Promise<RateVerdict>;
}

interface RateLimitOptions {
  /** Tokens added per second; may have a fraction. 0 = no limit. */
  readonly perSecond: number;
  /** Tokens that a bucket holds; by default one second's worth, at least one. */
  readonly burst?: number;
  readonly bucketsMax: number;
}

const ALLOWED: RateVerdict = { allowed: true };

const NO_LIMIT: RateLimit = { peek: () => ALLOWED, take: () => ALLOWED, giveBack: () => {} };

/** Length of the longest valid key (site ids, addresses). */
const KEY_CHARS_MAX = 256;

/** The shared bucket of invalid keys, so that long ones take no memory. */
const INVALID_KEY = " ";

/** The shared bucket of keys beyond `bucketsMax`. */
const OVERFLOW_KEY = "";

/** Buckets examined to evict one: bounds the work of a single event. */
const EVICTION_LOOKS_MAX = 16;

/** Rounding error of summed intervals. */
const TOLERANCE_MS = 0.001;

export function createRateLimit({ perSecond, burst = Math.max(1, perSecond), bucketsMax }: RateLimitOptions): RateLimit {
  if (perSecond <= 0) return NO_LIMIT;
  const tokenMs = 1000 / perSecond;
  const capacityMs = burst * tokenMs;
  /** Time at which each bucket is full again, roughly in order of last use. A missing bucket is full. */
  const fullAtMs = new Map<string, number>();

  /** Only full buckets are evicted, because they equal missing ones; any other would allow its key another burst. */
  function forgetFullBuckets(nowMs: number): void {
    let looks = EVICTION_LOOKS_MAX;
    for (const [key, fullMs] of fullAtMs) {
      fullAtMs.delete(key);
      // Moved to the end, so that the next search starts behind it.
      if (fullMs > nowMs) fullAtMs.set(key, fullMs);
      if (--looks === 0) return;
    }
  }

  function bucketOf(key: string, nowMs: number): string {
    if (key === OVERFLOW_KEY || key.length > KEY_CHARS_MAX) return INVALID_KEY;
    if (fullAtMs.has(key)) return key;
    if (fullAtMs.size >= bucketsMax) forgetFullBuckets(nowMs);
    return fullAtMs.size >= bucketsMax ? OVERFLOW_KEY : key;
  }

  /** Time at which the bucket is full again. A new bucket starts like the overflow bucket, which its key may have used before. */
  function fullMsOf(bucket: string, nowMs: number): number {
    return Math.max(nowMs, fullAtMs.get(bucket) ?? fullAtMs.get(OVERFLOW_KEY) ?? Number.NEGATIVE_INFINITY);
  }

  function verdictOf(bucket: string, nowMs: number): RateVerdict {
    const remainingMs = fullMsOf(bucket, nowMs) - nowMs + tokenMs - capacityMs;
    if (remainingMs <= TOLERANCE_MS) return ALLOWED;
    return { allowed: false, retryAfterSecs: Math.max(1, Math.ceil((remainingMs - TOLERANCE_MS) / 1000)) };
  }

  return {
    peek: (key, nowMs) => verdictOf(bucketOf(key, nowMs), nowMs),
    take(key, nowMs) {
      const bucket = bucketOf(key, nowMs);
      const verdict = verdictOf(bucket, nowMs);
      if (!verdict.allowed) return verdict;
      const fullMs = fullMsOf(bucket, nowMs) + tokenMs;
      // Moved to the end: the buckets at the front are the most likely to be full.
      fullAtMs.delete(bucket);
      fullAtMs.set(bucket, fullMs);
      return verdict;
    },
    giveBack(key, nowMs) {
      const bucket = bucketOf(key, nowMs);
      const fullMs = fullAtMs.get(bucket);
      if (fullMs !== undefined) fullAtMs.set(bucket, fullMs - tokenMs);
    },
  };
}

interface RateClaim {
  readonly limit: RateLimit;
  readonly key: string;
}

/** Takes a token for each claim if all are allowed; otherwise takes none and returns the longest wait. */
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

/** `takeFromAll` with a limit that another instance keeps: the local token is given back if that one refuses. */
export async function takeFromBoth(
  { limit, key }: RateClaim,
  remote: { readonly limit: RemoteRateLimit; readonly key: string },
  nowMs: number,
): Promise<RateVerdict> {
  const local = limit.take(key, nowMs);
  const far = await (local.allowed ? remote.limit.take(remote.key) : remote.limit.peek(remote.key));
  if (local.allowed && !far.allowed) limit.giveBack(key, nowMs);
  if (local.allowed) return far;
  return far.allowed || far.retryAfterSecs < local.retryAfterSecs ? local : far;
}
