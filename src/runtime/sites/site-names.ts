/**
 * The names of sites: which site an event or a question is about, after a site was renamed or merged into another. One record for each
 * rename says how far it is, and is the alias afterwards (docs/internals/sites.md).
 */
import { periodOf } from "../../storage/calendar.ts";
import { type EpochMs, isLocalDate, type LocalDate, type SiteId } from "../../storage/event.ts";
import { isInstant, type JsonObject, type RecordStore } from "../../storage/record-store.ts";
import { SITE_HOLD_MS_MAX, SITE_NAME_DAYS, SITE_NAMES_MAX } from "../base/config/admin-limits.ts";
import { createSha256, type Sha256, toHex } from "../base/bytes.ts";
import { isSiteId } from "../base/config/names.ts";
import { storageUnavailable } from "../base/errors.ts";
import type { Log } from "../base/metrics/log.ts";
import { type RecordKind, RecordTable, readTableRecord } from "../base/record-table.ts";

/**
 * `copying`: the site has its earlier name, and a copy under the new one is hidden. `switched`: it has the new name, and what is left under
 * the earlier one is hidden and goes. `alias`: nothing is left but the alias.
 */
export const RENAME_STATES = ["copying", "switched", "alias"] as const;

export type RenameState = (typeof RENAME_STATES)[number];

export interface Rename {
  readonly from: SiteId;
  readonly to: SiteId;
  readonly state: RenameState;
  /** Counts renames: of two that contradict each other, the later one counts. */
  readonly order: number;
  readonly startedAt: string;
  /** null before the switch, like the next two. */
  readonly switchedAt: string | null;
  /** The date of the site's calendar at the switch. */
  readonly switchDate: LocalDate | null;
  /** Visitor ids are computed with this name until the salt period of that date ends, so that nobody counts twice. */
  readonly hashedAs: SiteId | null;
}

/** A rename that has been switched. */
export type SwitchedRename = Rename & { readonly switchedAt: string; readonly switchDate: LocalDate; readonly hashedAs: SiteId };

const isId = (value: unknown): value is SiteId => typeof value === "string" && isSiteId(value);

function parseRename(json: JsonObject): Rename {
  const { from, to, state, order, startedAt, switchedAt, switchDate, hashedAs } = json;
  const isSwitched = isInstant(switchedAt) && typeof switchDate === "string" && isLocalDate(switchDate) && isId(hashedAs);
  const isOpen = switchedAt === null && switchDate === null && hashedAs === null;
  if (!isId(from) || !isId(to) || from === to) throw new Error("it names no two sites");
  if (!RENAME_STATES.some((each) => each === state)) throw new Error(`state must be one of ${RENAME_STATES.join(", ")}`);
  if (!Number.isSafeInteger(order)) throw new Error("order must be a count");
  if (!isInstant(startedAt)) throw new Error("startedAt must be an instant");
  if (state === "copying" ? !isOpen : !isSwitched) throw new Error("the fields about the switch do not fit its state");
  return json as unknown as Rename;
}

const FOLDER = "renames";

export const renameRecords = (sha256: Sha256): RecordKind<Rename, SiteId> => ({
  folder: FOLDER,
  keyOf: ({ from }) => from,
  hashOf: (siteId) => toHex(sha256(siteId)),
  json: (rename) => rename,
  parse: parseRename,
});

/** All renames, for commands on a folder that a server may use, without damaged ones. */
export async function readableRenames(records: Pick<RecordStore, "list" | "read">): Promise<readonly Rename[]> {
  const kind = renameRecords(await createSha256());
  const renames: Rename[] = [];
  for (const name of await records.list(`${FOLDER}/`)) {
    const rename = await readTableRecord(records, name, kind).catch(() => null);
    if (rename) renames.push(rename);
  }
  return renames.sort((a, b) => a.order - b.order);
}

/** Sites of which nothing counts: copies that are being made, and what is left under earlier names. */
export const hiddenByRenames = (renames: Iterable<Rename>): ReadonlySet<SiteId> =>
  new Set([...renames].flatMap(({ state, from, to }) => (state === "copying" ? [to] : state === "switched" ? [from] : [])));

interface SiteNamesParts {
  readonly records: RecordStore;
  /** The site that a site was merged into; null for most. */
  readonly mergedInto: (siteId: SiteId) => SiteId | null;
  readonly rotationDays: number;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly wait: (ms: number) => Promise<void>;
}

/** Events of these sites wait. */
interface Hold {
  readonly siteIds: ReadonlySet<SiteId>;
  readonly ended: Promise<void>;
}

export class SiteNames {
  readonly #parts: SiteNamesParts;
  readonly #table: RecordTable<Rename, SiteId>;
  /** The name that counts in place of each. */
  #other = new Map<SiteId, SiteId>();
  #hidden: ReadonlySet<SiteId> = new Set();
  /** Keyed by the name that counts. */
  #hashed = new Map<SiteId, SwitchedRename>();
  /** Events that are being stored, by site. */
  readonly #storing = new Map<SiteId, number>();
  #onIdle: (() => void) | null = null;
  #hold: Hold | null = null;

  private constructor(parts: SiteNamesParts, table: RecordTable<Rename, SiteId>) {
    this.#parts = parts;
    this.#table = table;
    this.#derive();
  }

  /** Rejects when a record is damaged: without it, events of a site would be hidden, or count twice. */
  static async open(parts: SiteNamesParts): Promise<SiteNames> {
    const kind = renameRecords(await createSha256());
    return new SiteNames(parts, await RecordTable.open(kind, { ...parts, changesWaitingMax: SITE_NAMES_MAX }));
  }

  #derive(): void {
    const renames = this.all;
    this.#hidden = hiddenByRenames(renames);
    this.#hashed = new Map(renames.filter(isSwitched).map((rename) => [rename.to, rename]));
    const isReplaced = ({ from, order }: Rename) => renames.some((later) => isSwitched(later) && later.to === from && later.order > order);
    const counting = renames.filter((rename) => !isReplaced(rename));
    this.#other = new Map(counting.map(({ state, from, to }) => (state === "copying" ? [to, from] : [from, to])));
  }

  /** All renames, in the order in which they began. */
  get all(): readonly Rename[] {
    return [...this.#table.values()].sort((a, b) => a.order - b.order);
  }

  get(from: SiteId): Rename | null {
    return this.#table.get(from);
  }

  /** The rename that is not complete: there is one at a time. */
  get unfinished(): Rename | null {
    return this.all.find(({ state }) => state !== "alias") ?? null;
  }

  /** The site that a name stands for: mostly the site of this name. */
  siteOf(name: SiteId): SiteId {
    return this.#follow(name, (siteId) => this.#other.get(siteId) ?? this.#parts.mergedInto(siteId));
  }

  /** The site that a name stands for, without merges. */
  renamedTo(name: SiteId): SiteId {
    return this.#follow(name, (siteId) => this.#other.get(siteId) ?? null);
  }

  /** Names that stand for each other cannot be stored; the bound costs nothing. */
  #follow(name: SiteId, nextOf: (siteId: SiteId) => SiteId | null): SiteId {
    let siteId = name;
    for (let steps = 0; steps <= SITE_NAMES_MAX; steps++) {
      const next = nextOf(siteId);
      if (next === null) break;
      siteId = next;
    }
    return siteId;
  }

  /** See `PartitionsOptions`. */
  readonly isHidden = (siteId: SiteId): boolean => this.#hidden.has(siteId) || this.#parts.mergedInto(siteId) !== null;

  /** The name by which the visitor ids of a site are computed on a date. */
  hashedAs(siteId: SiteId, date: LocalDate): SiteId {
    const rename = this.#hashed.get(siteId);
    if (rename === undefined) return siteId;
    const { rotationDays } = this.#parts;
    return periodOf(date, rotationDays) <= periodOf(rename.switchDate, rotationDays) ? rename.hashedAs : siteId;
  }

  // Events

  /** Stores an event of the site that a name stands for. While the site changes its name, the event waits: 503 if that takes too long. */
  async storing(name: SiteId, store: (siteId: SiteId) => Promise<void>): Promise<void> {
    let siteId = this.siteOf(name);
    for (let hold = this.#hold; hold?.siteIds.has(siteId); hold = this.#hold) {
      await this.#untilEnded(hold);
      siteId = this.siteOf(name);
    }
    this.#storing.set(siteId, (this.#storing.get(siteId) ?? 0) + 1);
    try {
      await store(siteId);
    } finally {
      const left = (this.#storing.get(siteId) ?? 1) - 1;
      if (left > 0) this.#storing.set(siteId, left);
      else this.#storing.delete(siteId);
      this.#onIdle?.();
    }
  }

  async #untilEnded(hold: Hold): Promise<void> {
    await Promise.race([hold.ended, this.#parts.wait(SITE_HOLD_MS_MAX)]);
    if (this.#hold === hold) throw storageUnavailable("The site is being renamed or merged. Try again later.", new Error("a hold lasts"));
  }

  /** Lets events of these sites wait, and resolves with the end of that when none of them is being stored. Rejects if that takes too long. */
  async hold(siteIds: readonly SiteId[]): Promise<() => void> {
    let end = () => {};
    const hold: Hold = { siteIds: new Set(siteIds), ended: new Promise((resolve) => (end = resolve)) };
    const release = () => {
      if (this.#hold === hold) this.#hold = null;
      end();
    };
    this.#hold = hold;
    const isIdle = () => !siteIds.some((siteId) => this.#storing.has(siteId));
    const idle = new Promise<void>((done) => {
      this.#onIdle = () => isIdle() && done();
      this.#onIdle();
    });
    await Promise.race([idle, this.#parts.wait(SITE_HOLD_MS_MAX)]);
    this.#onIdle = null;
    if (isIdle()) return release;
    release();
    throw new Error("events of the site could not be stored in time");
  }

  // Changes

  async begin(from: SiteId, to: SiteId): Promise<Rename> {
    const order = Math.max(0, ...this.all.map((rename) => rename.order)) + 1;
    const startedAt = new Date(this.#parts.now()).toISOString();
    const rename: Rename = { from, to, state: "copying", order, startedAt, switchedAt: null, switchDate: null, hashedAs: null };
    await this.put(rename);
    return rename;
  }

  /** The record of a site that has its new name. */
  switched(rename: Rename, date: LocalDate): SwitchedRename {
    const switchedAt = new Date(this.#parts.now()).toISOString();
    return { ...rename, state: "switched", switchedAt, switchDate: date, hashedAs: this.hashedAs(rename.from, date) };
  }

  /** Makes a state durable and then lets it count. */
  async put(rename: Rename): Promise<void> {
    await this.#table.put(rename.from, rename);
    this.#derive();
  }

  /** Writes what counts of a rename once more, after a change of it has failed. */
  async restore(from: SiteId): Promise<void> {
    await (this.get(from) ? this.#table.save(from) : this.#table.store(from, null));
  }

  async remove({ from }: Rename): Promise<void> {
    await this.#table.put(from, null);
    this.#derive();
  }

  /** Ends the earlier names of a site that is deleted. */
  async removeNamesOf(siteId: SiteId): Promise<void> {
    for (let name = siteId; ;) {
      const rename = this.all.findLast(({ state, to }) => state === "alias" && to === name);
      if (rename === undefined) return;
      await this.remove(rename);
      name = rename.from;
    }
  }

  /** Renames whose alias has ended, or which a later one has replaced. */
  ended(): Rename[] {
    const nowMs = this.#parts.now();
    return this.all.filter((rename) => {
      if (rename.state !== "alias" || !isSwitched(rename)) return false;
      return nowMs >= endOfName(rename.switchedAt) || this.#other.get(rename.from) !== rename.to;
    });
  }
}

/** What events need to know of names. */
export type EventNames = Pick<SiteNames, "siteOf" | "storing" | "hashedAs">;

/** Where sites have one name each. */
export const ONLY_NAMES: EventNames = {
  siteOf: (name) => name,
  storing: (name, store) => store(name),
  hashedAs: (siteId) => siteId,
};

const isSwitched = (rename: Rename): rename is SwitchedRename => rename.state !== "copying";

/** The end of a name that a site had, from when on it is one like any other. */
export const endOfName = (since: string): EpochMs => Date.parse(since) + SITE_NAME_DAYS * 86_400_000;
