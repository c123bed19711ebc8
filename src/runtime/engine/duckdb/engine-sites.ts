/** What the engine holds of each site beside its events: texts with their numbers, and the properties of its blocks. */
import type { SiteId } from "../../../storage/event.ts";
import { ipcFromTexts } from "./arrow-batches.ts";
import { SiteProps } from "./site-props.ts";
import { StringDictionary } from "./string-dictionary.ts";

export interface Site {
  readonly texts: StringDictionary;
  readonly textsTable: string;
  readonly props: SiteProps;
  /** The names of its blocks and partialAggregates. */
  readonly tables: Set<string>;
  sessionsMade: number;
}

export interface EngineSitesOptions {
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
}

export class EngineSites {
  readonly #options: EngineSitesOptions;
  readonly #sites = new Map<SiteId, Site>();
  #made = 0;

  constructor(options: EngineSitesOptions) {
    this.#options = options;
  }

  get(siteId: SiteId): Site | undefined {
    return this.#sites.get(siteId);
  }

  /** The site, made when it is new. */
  open(siteId: SiteId): Site {
    const known = this.#sites.get(siteId);
    if (known) return known;
    const textsTable = `texts_${++this.#made}`;
    this.#options.run(`CREATE TABLE ${textsTable} (code INTEGER, text VARCHAR)`);
    const site: Site = { textsTable, texts: new StringDictionary(), props: new SiteProps(), tables: new Set(), sessionsMade: 0 };
    this.#sites.set(siteId, site);
    return site;
  }

  /** Texts that were given numbers get their rows before any event refers to them. */
  insertTexts({ texts, textsTable }: Site): void {
    const added = texts.added();
    if (added.texts.length > 0) this.#options.insert(textsTable, ipcFromTexts(added.firstCode, added.texts));
    texts.confirmAdded();
  }

  /** A table of the site is gone: its texts go with its last block and its last summary. */
  noteDropped(siteId: SiteId, table: string): void {
    const site = this.#sites.get(siteId);
    site?.tables.delete(table);
    if (!site || site.tables.size > 0) return;
    this.#options.run(`DROP TABLE ${site.textsTable}`);
    this.#sites.delete(siteId);
  }

  get textBytes(): number {
    let bytes = 0;
    for (const { texts } of this.#sites.values()) bytes += texts.bytes;
    return bytes;
  }

  get propsBytes(): number {
    let bytes = 0;
    for (const { props } of this.#sites.values()) bytes += props.bytes;
    return bytes;
  }
}
