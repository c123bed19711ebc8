/**
 * Exports of whole sites that are made on request, and kept for a day to be downloaded (docs/http-api.md, "Archives of sites"). They are made
 * one at a time, apart from the instance, by what the command `export` runs. A restart forgets them.
 */
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { toHex } from "../base/bytes.ts";
import { EXPORT_FREE_BYTES_LEFT_MIN, EXPORT_FREE_BYTES_MIN, EXPORT_KEPT_MS, EXPORTS_KEPT_MAX } from "../base/config/limits.ts";
import { AppError, conflict } from "../base/errors.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";

/** Visitor ids are in no response, so those of events have none, and Parquet files are left to the command. */
const FORMATS = ["jsonl", "csv", "plausible", "reports"] as const;
export const SITE_EXPORT_FORMATS = ["all", ...FORMATS] as const;
export type SiteExportFormat = (typeof SITE_EXPORT_FORMATS)[number];

/** The formats of the command that an archive has. */
export const formatsIn = (format: SiteExportFormat): readonly (typeof FORMATS)[number][] => (format === "all" ? FORMATS : [format]);

export interface AskedExport {
  readonly siteId: SiteId;
  readonly format: SiteExportFormat;
  /** null for the first and the last day with events. */
  readonly firstDay: LocalDate | null;
  readonly lastDay: LocalDate | null;
}

/** A ZIP that is complete. */
export interface MadeArchive {
  readonly bytes: number;
  chunks(): AsyncIterator<Uint8Array, undefined>;
}

/** The port to where archives are made and stored. */
export interface ArchiveMaker {
  /** Makes the archive of this id. Rejects with the reason, in words for people, and leaves nothing then. */
  make(id: string, asked: AskedExport, signal: AbortSignal): Promise<MadeArchive>;
  remove(id: string): Promise<void>;
}

export interface SiteExport extends AskedExport {
  readonly id: string;
  readonly createdMs: EpochMs;
  readonly state: "running" | "ready" | "failed";
  /** Why it failed; else null. */
  readonly failure: string | null;
  readonly archive: MadeArchive | null;
}

interface SiteExportsOptions {
  readonly maker: ArchiveMaker;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly freeBytes: () => Promise<number>;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

interface Entry {
  current: SiteExport;
  readonly stop: AbortController;
  readonly beganMs: number;
  making: Promise<void>;
  /** It cannot be downloaded any more; `tick` deletes it if that has failed. */
  isDeleted: boolean;
}

const ID_BYTES = 16;

export class SiteExports {
  readonly #options: SiteExportsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: SiteExportsOptions) {
    this.#options = options;
  }

  /** Newest first. */
  get all(): readonly SiteExport[] {
    return [...this.#entries.values()].map(({ current }) => current).reverse();
  }

  existing(id: string): SiteExport {
    return this.#entry(id).current;
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw new AppError({ code: "not_found" }, "There is no such export: a restart forgets them");
    return entry;
  }

  /** Begins to make it, in the background. */
  async begin(asked: AskedExport): Promise<SiteExport> {
    const { freeBytes, maker, now, monotonicMs, randomBytes, log } = this.#options;
    const free = await freeBytes();
    if (free < EXPORT_FREE_BYTES_MIN) throw conflict(`The disk has ${free} bytes left: exports need ${EXPORT_FREE_BYTES_MIN}`);
    const running = this.all.find(({ state }) => state === "running");
    if (running) throw conflict(`The export of ${running.siteId} is being made: wait for it, or delete it`);
    this.#makeRoom();
    const id = toHex(randomBytes(ID_BYTES));
    const begun: SiteExport = { ...asked, id, createdMs: now(), state: "running", failure: null, archive: null };
    const stop = new AbortController();
    const entry: Entry = { current: begun, stop, beganMs: monotonicMs(), making: Promise.resolve(), isDeleted: false };
    this.#entries.set(id, entry);
    entry.making = maker.make(id, asked, entry.stop.signal).then(
      (archive) => void (entry.current = { ...begun, state: "ready", archive }),
      (error: unknown) => {
        const { aborted, reason } = entry.stop.signal;
        const failure = reasonOf(aborted ? reason : error);
        entry.current = { ...begun, state: "failed", failure };
        log.warn("an export was not made", { siteId: asked.siteId, reason: failure });
      },
    );
    return begun;
  }

  /** Forgets the oldest one that failed; 409 if there is none and there are too many. */
  #makeRoom(): void {
    if (this.#entries.size < EXPORTS_KEPT_MAX) return;
    const failed = [...this.#entries].find(([, { current, isDeleted }]) => current.state === "failed" && !isDeleted);
    const sites = [...new Set(this.all.map(({ siteId }) => siteId))].join(", ");
    if (!failed) throw conflict(`There are ${EXPORTS_KEPT_MAX} exports, of ${sites}: delete one`);
    this.#entries.delete(failed[0]);
  }

  /** Ends it if it is being made, and deletes its archive. If that rejects, nobody can download it. */
  async delete(id: string): Promise<void> {
    const entry = this.#entry(id);
    entry.isDeleted = true;
    entry.stop.abort(new Error("the export was deleted"));
    await entry.making;
    entry.current = { ...entry.current, state: "failed", failure: entry.current.failure ?? "the export was deleted", archive: null };
    await this.#options.maker.remove(id);
    this.#entries.delete(id);
  }

  /** Deletes those of a site, because it loses events. Never rejects: what could not be deleted cannot be downloaded. */
  async deleteOf(siteId: SiteId): Promise<void> {
    for (const [id, { current }] of [...this.#entries])
      if (current.siteId === siteId && this.#entries.has(id)) await this.delete(id).catch(this.#complain);
  }

  /** Deletes what is too old, and ends what would fill the disk. Never rejects. */
  tick(): void {
    const oldMs = this.#options.monotonicMs() - EXPORT_KEPT_MS;
    for (const { current, stop, beganMs, isDeleted } of this.#entries.values()) {
      if (current.state === "running") this.#spareDisk(stop).catch(this.#complain);
      else if (isDeleted || beganMs <= oldMs) this.delete(current.id).catch(this.#complain);
    }
  }

  readonly #complain = (error: unknown): void =>
    this.#options.log.warn("an export could not be ended or deleted", { reason: reasonOf(error) });

  async #spareDisk(stop: AbortController): Promise<void> {
    const free = await this.#options.freeBytes();
    if (free < EXPORT_FREE_BYTES_LEFT_MIN) stop.abort(new Error(`The disk has ${free} bytes left: export fewer days`));
  }

  /** Resolves when none is being made. */
  async settled(): Promise<void> {
    for (const { making } of this.#entries.values()) await making;
  }

  /** Ends what is being made, and deletes all archives: nobody would know of them. Never rejects: the next start deletes what is left. */
  async stop(): Promise<void> {
    for (const id of [...this.#entries.keys()]) await this.delete(id).catch(this.#complain);
  }
}
