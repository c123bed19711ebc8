/**
 * The import of hits, from its first row to its deletion. Rows become files that count nothing until all are written; then one write of the
 * record shows them. A run that was interrupted goes on at its last checkpoint: it reads the same rows again and skips those it has.
 */
import { type EventText, eventText, type LocalDate } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { IMPORT_NUMBERS, importFileNumber } from "../../storage/partitions.ts";
import { importSecretName, type SecretStore, type StoredSecret } from "../../storage/secret-store.ts";
import { fromHex, toHex } from "../base/bytes.ts";
import { invalidInput } from "../base/errors.ts";
import type { HmacKey } from "../ingest/visitor-salt.ts";
import type { LeftOutReason, Recognition } from "./format.ts";
import { eventOfHit, type HitEventsOptions } from "./hit-events.ts";
import type { ImportRecord, ImportRecords } from "./import-record.ts";
import type { CutOff } from "./manifest.ts";

const SALT_BYTES = 32;

interface HitImportsOptions {
  readonly eventStore: Pick<EventStore, "addImportFile" | "changeShown" | "deleteImport">;
  readonly records: ImportRecords;
  readonly secrets: SecretStore;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Events that are in memory before they are written: `IMPORT_CHECKPOINT_EVENTS`. */
  readonly checkpointEvents: number;
  /** Drops the site's cached results. */
  readonly dropSite: (siteId: ImportRecord["siteId"]) => void;
}

interface HitSource {
  readonly files: Recognition["files"];
  readonly cutOff: CutOff | null;
  readonly events: Omit<HitEventsOptions, "salt">;
}

export class HitImports {
  readonly #options: HitImportsOptions;

  constructor(options: HitImportsOptions) {
    this.#options = options;
  }

  /**
   * Reads all rows, or the rest of them, and shows the import. Returns how many hits were left out by reason, of the rows read now. After a
   * rejection or a kill it may be called again with the same files, or the import be deleted.
   */
  async run(number: number, source: HitSource): Promise<ReadonlyMap<LeftOutReason, number>> {
    const secret = this.#secretOf(number);
    const { salt, record } = await this.#begun(number, secret, source.events.hmac);
    const events = { ...source.events, salt };
    const parts = new Parts(record, this.#options);
    const leftOut = new Map<LeftOutReason, number>();
    let row = 0;
    for (const file of source.files) {
      for await (const rows of file.read()) {
        for (const each of rows) {
          if (++row <= record.rows || each.kind !== "hit") continue;
          const event = each.atMs >= (source.cutOff?.endMs ?? Infinity) ? "own_day" : eventOfHit(each, row, events);
          if (typeof event === "string") leftOut.set(event, (leftOut.get(event) ?? 0) + 1);
          else parts.add(event.date, eventText(event));
        }
        if (parts.isFull) await parts.write(row);
      }
    }
    await parts.write(Math.max(row, record.rows));
    await this.#setState(number, "shown");
    await secret.erase();
    return leftOut;
  }

  /** The record and salt to go on with. Files after the last checkpoint are deleted: they would count twice with another grouping of rows. */
  async #begun(number: number, secret: StoredSecret, { keyFrom }: HitEventsOptions["hmac"]) {
    const { eventStore, records, randomBytes } = this.#options;
    const record = this.#get(number, ["running"]);
    const stored = await secret.read();
    // Without the salt, visitors would count once more on days that are partly read.
    const from = stored === null ? { ...record, rows: 0, files: 0, events: 0, firstDay: null, lastDay: null } : record;
    if (from !== record) await records.put(from);
    await eventStore.deleteImport(record.siteId, number, from.files);
    const salt = stored === null ? randomBytes(SALT_BYTES) : fromHex(stored);
    if (stored === null) await secret.write(toHex(salt));
    return { record: from, salt: keyFrom(salt) as HmacKey };
  }

  hide(number: number): Promise<void> {
    this.#get(number, ["shown"]);
    return this.#setState(number, "hidden");
  }

  show(number: number): Promise<void> {
    this.#get(number, ["hidden"]);
    return this.#setState(number, "shown");
  }

  /** Deletes the import in any state. After a rejection or a kill, it does not count any more; may be called again. */
  async delete(number: number): Promise<void> {
    const { eventStore, records } = this.#options;
    const { siteId, state } = this.#get(number, ["running", "shown", "hidden", "deleting"]);
    if (state !== "deleting") await this.#setState(number, "deleting");
    await eventStore.deleteImport(siteId, number);
    await this.#secretOf(number).erase();
    await records.remove(number);
  }

  /** Goes on with deletions that were interrupted, and erases salts that ended imports have left. */
  async recover(): Promise<void> {
    for (const { number, state } of this.#options.records.all) {
      if (state === "deleting") await this.delete(number);
      else if (state !== "running") await this.#secretOf(number).erase();
    }
  }

  async #setState(number: number, state: ImportRecord["state"]): Promise<void> {
    const { eventStore, records, dropSite } = this.#options;
    const record = this.#get(number, null);
    try {
      await eventStore.changeShown(record.siteId, number, () => records.put({ ...record, state }));
    } finally {
      dropSite(record.siteId);
    }
  }

  #get(number: number, states: readonly ImportRecord["state"][] | null): ImportRecord {
    const record = this.#options.records.get(number);
    if (record === null) throw invalidInput(`There is no import #${number}`);
    if (states && !states.includes(record.state)) throw invalidInput(`Import #${number} is ${record.state}`);
    return record;
  }

  #secretOf(number: number): StoredSecret {
    return this.#options.secrets.secret(importSecretName(number));
  }
}

type PartsOptions = Pick<HitImportsOptions, "eventStore" | "records" | "checkpointEvents">;

/** Events that are not written yet, by day, and the checkpoints of those that are. */
class Parts {
  readonly #options: PartsOptions;
  readonly #days = new Map<LocalDate, EventText[]>();
  #record: ImportRecord;
  #events = 0;

  constructor(record: ImportRecord, options: PartsOptions) {
    this.#record = record;
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#events >= this.#options.checkpointEvents;
  }

  add(day: LocalDate, text: EventText): void {
    const ofDay = this.#days.get(day);
    if (ofDay) ofDay.push(text);
    else this.#days.set(day, [text]);
    this.#events++;
  }

  /** Writes a file for each day, and then the checkpoint at this row. */
  async write(row: number): Promise<void> {
    const { number, siteId, files, events, firstDay, lastDay } = this.#record;
    const days = [...this.#days.keys()].sort();
    if (files + days.length > IMPORT_NUMBERS) throw invalidInput(`The import has more than ${IMPORT_NUMBERS} files: sort its rows by time`);
    for (const [i, day] of days.entries()) {
      await this.#options.eventStore.addImportFile(siteId, { day, number: importFileNumber(number, files + i) }, this.#days.get(day) ?? []);
    }
    const all = [firstDay, lastDay, ...days].filter((day) => day !== null).sort();
    this.#record = {
      ...this.#record,
      rows: row,
      files: files + days.length,
      events: events + this.#events,
      firstDay: all[0] ?? null,
      lastDay: all.at(-1) ?? null,
    };
    await this.#options.records.put(this.#record);
    this.#days.clear();
    this.#events = 0;
  }
}
