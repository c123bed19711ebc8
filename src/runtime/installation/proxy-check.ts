/**
 * Notices a `trust_proxy` that does not fit the proxies in front of the service (docs/reverse-proxy.md, "The number of proxies"). It
 * keeps counts, and for each position in `X-Forwarded-For` a few bits that show whether its addresses differ: never an address.
 */
import {
  FORWARDED_SHARE_MIN,
  HIDDEN_EVENTS_MIN,
  PROXIES_BEYOND_MAX,
  PROXY_EVENTS_MIN,
  PROXY_WINDOW_EVENTS,
} from "../base/config/limits.ts";
import { isPrivateAddress } from "../ingest/geo.ts";
import type { Log } from "../base/metrics/log.ts";

/**
 * `too_few`: the address that counts is a proxy's, so visitors share it. `too_many`: requests come through fewer proxies, so clients
 * can choose the address that counts.
 */
export const PROXY_PROBLEMS = ["too_few", "too_many"] as const;

interface ProxyFinding {
  readonly problem: (typeof PROXY_PROBLEMS)[number];
  readonly trustProxy: number;
}

interface ProxyCheckOptions {
  readonly trustProxy: number;
  readonly log: Pick<Log, "warn">;
  readonly randomBytes: (length: number) => Uint8Array;
}

/** Counts for one position in a window. Position 0 is the address that counts as the client's. */
interface Position {
  /** Events with an address there, other than that of the connection. */
  present: number;
  private: number;
  /** A set of hash values below 32. Two of them mean two addresses; one hash value is probably one address. */
  hashes: number;
}

const emptyPositions = (): Position[] => Array.from({ length: PROXIES_BEYOND_MAX + 1 }, () => ({ present: 0, private: 0, hashes: 0 }));

/** True if at most one bit is set. */
const isOne = (bits: number): boolean => (bits & (bits - 1)) === 0;

/**
 * Anybody can send the header, and its addresses look alike whoever wrote them. So the value is a suggestion to the operator, who knows.
 */
const messageOf = ({ problem, trustProxy }: ProxyFinding, trusted: number): string => {
  const suggestion = `Set trust_proxy = ${trustProxy} if that is the number of your proxies; otherwise`;
  if (problem === "too_few")
    return `visitors seem to share the address of a proxy: X-Forwarded-For names other addresses than the one that counts with trust_proxy = ${trusted}. ${suggestion} clients make the header up`;
  if (trustProxy === 0)
    return `clients can choose the address that counts: requests come without X-Forwarded-For, but trust_proxy = ${trusted}. Have the proxy send the header, or set trust_proxy = 0 without a proxy`;
  return `clients can choose the address that counts: X-Forwarded-For has fewer addresses than trust_proxy = ${trusted}. ${suggestion} let clients reach only the outermost proxy`;
};

export class ProxyCheck {
  readonly #options: ProxyCheckOptions;
  /** Seeds the hash, so that nobody can prepare addresses that share a hash value. */
  readonly #seed: number;
  readonly #reported = new Set<string>();
  #finding: ProxyFinding | null = null;
  #events = 0;
  /** Events by the number of addresses in the header, for numbers below `trustProxy`. */
  #shorter: number[] = [];
  #positions = emptyPositions();

  constructor(options: ProxyCheckOptions) {
    this.#options = options;
    this.#seed = new DataView(options.randomBytes(4).slice().buffer).getUint32(0);
  }

  get entriesMax(): number {
    return this.#options.trustProxy + PROXIES_BEYOND_MAX;
  }

  /** null while `trust_proxy` fits, and before there are enough events. */
  get finding(): ProxyFinding | null {
    return this.#finding;
  }

  /** Takes the addresses of an accepted event: the connection's and, from the right, the header's; null for what is not an address. */
  note(chain: readonly (string | null)[]): void {
    const { trustProxy } = this.#options;
    this.#events++;
    const entries = chain.length - 1;
    if (entries < trustProxy) this.#shorter[entries] = (this.#shorter[entries] ?? 0) + 1;
    else this.#positions.forEach((position, beyond) => this.#notePosition(position, chain, beyond));
    if (this.#events === HIDDEN_EVENTS_MIN || this.#events % PROXY_EVENTS_MIN === 0)
      this.#conclude(this.#judge() ?? this.#uncontradicted());
    if (this.#events < PROXY_WINDOW_EVENTS) return;
    this.#conclude(this.#judge());
    this.#events = 0;
    this.#shorter = [];
    this.#positions = emptyPositions();
  }

  #notePosition(position: Position, chain: readonly (string | null)[], beyond: number): void {
    const address = chain[this.#options.trustProxy + beyond] ?? null;
    // Some platforms repeat the address of the connection in the header.
    if (address === null || (beyond > 0 && address === chain[this.#options.trustProxy])) return;
    position.present++;
    if (isPrivateAddress(address)) position.private++;
    position.hashes |= 1 << (this.#hash(address) & 31);
  }

  /** FNV-1a. */
  #hash(address: string): number {
    let hash = this.#seed;
    for (let at = 0; at < address.length; at++) hash = Math.imul(hash ^ address.charCodeAt(at), 0x01000193);
    return hash ^ (hash >>> 15);
  }

  #judge(): ProxyFinding | null {
    return this.#tooMany() ?? this.#tooFew();
  }

  #isMost(count: number): boolean {
    return count >= this.#events * FORWARDED_SHARE_MIN;
  }

  #tooMany(): ProxyFinding | null {
    if (this.#events < PROXY_EVENTS_MIN || !this.#isMost(this.#shorterEvents())) return null;
    // Few events have forged addresses, so the most frequent number is that of the proxies.
    let trustProxy = 0;
    this.#shorter.forEach((count, entries) => {
      if (count > (this.#shorter[trustProxy] ?? 0)) trustProxy = entries;
    });
    return { problem: "too_many", trustProxy };
  }

  #tooFew(): ProxyFinding | null {
    const [client, ...beyond] = this.#positions;
    if (!client || !this.#isMost(client.present)) return null;
    const isHidden = this.#isMost(client.private);
    const hasOne = this.#events >= PROXY_EVENTS_MIN && isOne(client.hashes);
    const isFull = this.#events >= PROXY_WINDOW_EVENTS;
    const found = beyond.findIndex(
      ({ present, private: inside, hashes }) =>
        this.#isMost(present) && ((isHidden && this.#isMost(present - inside)) || ((hasOne || isFull) && !isOne(hashes))),
    );
    return found === -1 ? null : { problem: "too_few", trustProxy: this.#options.trustProxy + found + 1 };
  }

  /** A part of a window may be too small to find the same again. The finding goes once the addresses are not where it says. */
  #uncontradicted(): ProxyFinding | null {
    const finding = this.#finding;
    if (finding === null || this.#events < PROXY_EVENTS_MIN) return finding;
    const addressed = this.#positions[finding.trustProxy - this.#options.trustProxy]?.present ?? 0;
    const seen = finding.problem === "too_many" ? this.#shorterEvents() : addressed;
    return this.#isMost(seen) ? finding : null;
  }

  #shorterEvents(): number {
    return this.#shorter.reduce((sum, count) => sum + count, 0);
  }

  /** Each finding is logged once. */
  #conclude(finding: ProxyFinding | null): void {
    this.#finding = finding;
    if (finding === null) return;
    const key = JSON.stringify(finding);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#options.log.warn(messageOf(finding, this.#options.trustProxy));
  }
}
