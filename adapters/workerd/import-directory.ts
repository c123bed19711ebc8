/**
 * The imports of all sites as the registry knows them: their numbers, which are one sequence, and the sites whose objects have them. A row
 * is durable before the object has the import, and stays when it is deleted: a number is never used again.
 */
import { IMPORTS_MAX } from "../../src/runtime/base/config/limits.ts";
import { AppError, conflict } from "../../src/runtime/base/errors.ts";
import type { ImportRecord } from "../../src/runtime/imports/import-record.ts";
import type { Asked, ImportDetails, ImportsOfSites } from "../../src/runtime/imports/imports.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { severalAtOnce } from "../../src/storage/object-store.ts";
import { IMPORT_NUMBER_MAX } from "../../src/storage/partitions.ts";
import { reached, unlessRefused, type SiteStub } from "./objects.ts";
import type { DurableObjectStorage } from "./platform.ts";

const TABLE = "CREATE TABLE IF NOT EXISTS import (number INTEGER PRIMARY KEY AUTOINCREMENT, site_id TEXT NOT NULL)";

const ASKED_MAX = 20;

interface ImportDirectoryOptions {
  readonly storage: DurableObjectStorage;
  readonly site: (siteId: SiteId) => SiteStub;
  /** False for a new site if `max_sites` is reached. */
  readonly mayBegin: (siteId: SiteId) => boolean;
}

export class ImportDirectory implements ImportsOfSites {
  readonly #options: ImportDirectoryOptions;

  constructor(options: ImportDirectoryOptions) {
    this.#options = options;
    options.storage.sql.exec(TABLE);
  }

  #rows(where: string, value: string | number): { number: number; siteId: SiteId }[] {
    const rows = this.#options.storage.sql.exec(`SELECT number, site_id FROM import WHERE ${where} ?`, value).toArray();
    return rows.map(({ number, site_id: siteId }) => ({ number: Number(number), siteId: siteId as SiteId }));
  }

  siteOf(number: number): SiteId | null {
    return this.#rows("number =", number)[0]?.siteId ?? null;
  }

  async list(): Promise<readonly ImportRecord[]> {
    const lists: (readonly ImportRecord[])[] = [];
    const siteIds = new Set(this.#rows("number >", 0).map(({ siteId }) => siteId));
    await severalAtOnce([...siteIds], ASKED_MAX, async (siteId) => {
      lists.push(await reached(this.#options.site(siteId).imports()));
    });
    return lists.flat().sort((a, b) => b.number - a.number);
  }

  async begin(asked: Asked): Promise<ImportDetails> {
    const { mayBegin, site, storage } = this.#options;
    const { siteId } = asked;
    if (!mayBegin(siteId))
      throw new AppError({ code: "forbidden" }, 'Field "site_id" must be a site that has events: max_sites is reached');
    if ((await this.list()).length >= IMPORTS_MAX) throw conflict(`There are ${IMPORTS_MAX} imports: delete one`);
    storage.sql.exec("INSERT INTO import (site_id) VALUES (?)", siteId);
    const number = Number(storage.sql.exec("SELECT max(number) AS number FROM import").toArray()[0]?.["number"]);
    if (number > IMPORT_NUMBER_MAX) throw conflict("All numbers of imports are used");
    await storage.sync();
    return unlessRefused(await reached(site(siteId).beginImport(number, asked)));
  }

  async removeSite(siteId: SiteId): Promise<number> {
    if (this.#rows("site_id =", siteId).length === 0) return 0;
    return unlessRefused(await reached(this.#options.site(siteId).removeImports())).removed;
  }
}
