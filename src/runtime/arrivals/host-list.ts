/** Lists of hosts as people write them: `shop.example` for itself and `www.shop.example`, `*.shop.example` for all its subdomains. */
import { bareHost } from "./source-names.ts";

const SUBDOMAINS = "*.";

export class HostList {
  readonly #hosts = new Set<string>();
  readonly #parents = new Set<string>();

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (entry.startsWith(SUBDOMAINS)) this.#parents.add(entry.slice(SUBDOMAINS.length));
      else this.#hosts.add(bareHost(entry));
    }
  }

  /** `host` is in lower case. Only whole labels match. */
  has(host: string): boolean {
    const bare = bareHost(host);
    if (this.#hosts.has(bare)) return true;
    if (this.#parents.size === 0) return false;
    for (let dot = bare.indexOf("."); dot !== -1; dot = bare.indexOf(".", dot + 1)) {
      if (this.#parents.has(bare.slice(dot + 1))) return true;
    }
    return false;
  }
}
