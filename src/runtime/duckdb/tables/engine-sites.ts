/** The engine's data of a site besides its event tables: dictionaries, and the number of its sessions. */
import type { SiteId } from "../../../storage/event.ts";
import { ipcFromStrings } from "./arrow.ts";
import { PropsDictionary, StringDictionary } from "./dictionaries.ts";

export interface Site {
  readonly strings: StringDictionary;
  /** The table behind the relation `texts`. */
  readonly stringsTable: string;
  readonly props: PropsDictionary;
  /** The names of its event tables and partial aggregates. */
  readonly tables: Set<string>;
  /** The highest session number in use. */
  sessionCount: number;
}

export interface EngineSitesOptions {
  readonly run: (statement: string) => unknown;
  readonly insert: (table: string, ipc: Uint8Array) => void;
}

export class EngineSites {
  readonly #options: EngineSitesOptions;
  readonly #sites = new Map<SiteId, Site>();
  #tablesCreated = 0;

  constructor(options: EngineSitesOptions) {
    this.#options = options;
  }

  get(siteId: SiteId): Site | undefined {
    return this.#sites.get(siteId);
  }

  /** The site; creates it if it is new. */
  open(siteId: SiteId): Site {
    const known = this.#sites.get(siteId);
    if (known) return known;
    const stringsTable = `texts_${++this.#tablesCreated}`;
    this.#options.run(`CREATE TABLE ${stringsTable} (code INTEGER, text VARCHAR)`);
    const site: Site = {
      stringsTable,
      strings: new StringDictionary(),
      props: new PropsDictionary(),
      tables: new Set(),
      sessionCount: 0,
    };
    this.#sites.set(siteId, site);
    return site;
  }

  /** Inserts the strings with new codes. To be called before events that refer to them are inserted. */
  insertStrings({ strings, stringsTable }: Site): void {
    const added = strings.added();
    if (added.strings.length > 0) this.#options.insert(stringsTable, ipcFromStrings(added.firstCode, added.strings));
    strings.confirmAdded();
  }

  /** A table of the site was dropped. The dictionaries are dropped with the last one: partial aggregates refer to their codes, too. */
  noteDropped(siteId: SiteId, table: string): void {
    const site = this.#sites.get(siteId);
    site?.tables.delete(table);
    if (!site || site.tables.size > 0) return;
    this.#options.run(`DROP TABLE ${site.stringsTable}`);
    this.#sites.delete(siteId);
  }

  get stringBytes(): number {
    let bytes = 0;
    for (const { strings } of this.#sites.values()) bytes += strings.bytes;
    return bytes;
  }

  get propsBytes(): number {
    let bytes = 0;
    for (const { props } of this.#sites.values()) bytes += props.bytes;
    return bytes;
  }
}
