/** Names of sites in the tags of other products: `umami:<id>`, `goatcounter:<code>`, `matomo:<id>` (docs/sites.md, "Tags of other products"). */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { EARLIER_TAG_ID_CHARS_MAX, UNKNOWN_ALIASES_MAX } from "../base/config/limits.ts";

const ID = new RegExp(`^[A-Za-z0-9._-]{1,${EARLIER_TAG_ID_CHARS_MAX}}$`);

/** The alias in its canonical form, or null. */
export function parseAlias(text: string): string | null {
  const [product = "", id = "", more] = text.toLowerCase().split(":", 3);
  return ["umami", "goatcounter", "matomo"].includes(product) && more === undefined && ID.test(id) ? `${product}:${id}` : null;
}

/** The sites by their aliases. Of two sites with the same alias, the one that has it first counts. */
export function sitesByAlias(sites: Iterable<readonly [SiteId, readonly string[]]>): ReadonlyMap<string, SiteId> {
  const byAlias = new Map<string, SiteId>();
  for (const [siteId, aliases] of sites) for (const alias of aliases) if (!byAlias.has(alias)) byAlias.set(alias, siteId);
  return byAlias;
}

export interface UnknownAlias {
  readonly name: string;
  readonly count: number;
  readonly latestMs: EpochMs;
}

/** The aliases that tags named last and no site has, in memory, for the installation check. */
export class UnknownAliases {
  /** The latest last. */
  readonly #known = new Map<string, UnknownAlias>();

  note(name: string, nowMs: EpochMs): void {
    const count = (this.#known.get(name)?.count ?? 0) + 1;
    this.#known.delete(name);
    this.#known.set(name, { name, count, latestMs: nowMs });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > UNKNOWN_ALIASES_MAX) this.#known.delete(oldest);
  }

  /** The latest first. */
  listed(): readonly UnknownAlias[] {
    return [...this.#known.values()].reverse();
  }
}
