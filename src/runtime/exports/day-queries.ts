/** Runs queries over the events of some days of a site, in an engine that nothing else uses. */
import { type Calendar, dayNumberOf } from "../../storage/calendar.ts";
import { rowsOf } from "../../storage/columns.ts";
import { MINUTE_MS, type SiteId } from "../../storage/event.ts";
import { sizeGroups } from "../../storage/partitions.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { LOAD_BYTES_MAX } from "../base/config/limits.ts";
import { EngineMemory } from "../duckdb/cache/engine-memory.ts";
import { type Block, type BlockFile, type Engine, EngineFullError, type Loaded } from "../duckdb/engine.ts";
import { rowsQuery } from "../duckdb/event-rows.ts";
import { type DateRange, rangeOfDays } from "../query/date-range.ts";
import type { AggregateQuery } from "../query/plan.ts";
import type { SqlRow } from "../query/sql.ts";
import type { SiteGoal } from "../sites/goal.ts";
import type { DayEvents } from "./data-snapshot.ts";
import type { DamagedFile } from "./event-rows.ts";

export interface ExportedSite {
  readonly siteId: SiteId;
  readonly calendar: Calendar;
  readonly arrivalRules: ArrivalRules;
  /** The goals in the order of the site. */
  readonly goals: readonly SiteGoal[];
}

export interface DayQueriesOptions {
  /** Called once, when a query needs it. */
  readonly openEngine: () => Promise<Engine>;
  readonly budgetBytes: number;
  readonly sessionWindowMinutes: number;
  readonly onDamage: (file: DamagedFile) => void;
}

/** Loaded days. The relation `sessions` has their visits, which end with the day, as in a report on that day alone. */
export interface DaysReader extends Omit<ExportedSite, "calendar"> {
  /** Spans the days; some between them may not be loaded. */
  readonly range: DateRange;
  /** Days since 1970-01-01. */
  readonly days: readonly number[];
  /** All rows, in no particular order. */
  readonly rowsOf: (query: AggregateQuery) => Promise<readonly SqlRow[]>;
}

const NEVER = new AbortController().signal;

/** Larger than the number of events of any day. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

export class DayQueries {
  readonly #options: DayQueriesOptions;
  readonly #memory: EngineMemory;
  #engine: Promise<Engine> | null = null;
  #blocksCreated = 0;

  constructor(options: DayQueriesOptions) {
    this.#options = options;
    this.#memory = new EngineMemory(options);
  }

  /** Rejects with `EngineFullError` if the days do not fit into the memory together. */
  async withDays<T>(site: ExportedSite, days: readonly DayEvents[], task: (reader: DaysReader) => Promise<T>): Promise<T> {
    const { openEngine, sessionWindowMinutes } = this.#options;
    const engine = await (this.#engine ??= openEngine());
    const { siteId, calendar, arrivalRules, goals } = site;
    const { propsBytesMax, propertyTextBytesMax } = this.#memory;
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last) throw new Error("there are no days to load");
    const range = rangeOfDays(first.day, last.day);
    const block = { id: ++this.#blocksCreated, siteId, sessionGapMs: sessionWindowMinutes * MINUTE_MS, propsBytesMax, grows: true };
    const read = { siteId, range, blocks: [block.id], isGuest: false, propertyTextBytesMax, rowsMax: ALL_ROWS };
    try {
      for (const day of days) await this.#load(engine, block, day);
      return await task({
        siteId,
        arrivalRules,
        goals,
        range,
        days: days.map(({ day }) => dayNumberOf(day)),
        rowsOf: async (query) => rowsOf(await engine.queryColumns(rowsQuery(query, query.partial(range, calendar), read), NEVER)),
      });
    } finally {
      await engine.drop([block.id]);
    }
  }

  /** Loads in steps, so that the files of a large day are not all in memory at once. */
  async #load(engine: Engine, block: Block, { day, files, journaled, readFile }: DayEvents): Promise<void> {
    const { onDamage } = this.#options;
    const check = ({ memoryBytes, propsBytes }: Loaded): void => {
      if (memoryBytes > this.#memory.budgetBytes || propsBytes === null)
        throw new EngineFullError(`the events of ${day} do not fit into the memory of engine_memory_mb`);
    };
    for (const step of sizeGroups(files, ({ sizeBytes }) => sizeBytes, LOAD_BYTES_MAX)) {
      const read: BlockFile[] = [];
      for (const file of step) read.push({ key: file.key, date: day, bytes: await readFile(file) });
      const loaded = await engine.append(block, { files: read });
      for (const file of loaded.unreadable) onDamage(file);
      check(loaded);
    }
    if (journaled.length > 0) check(await engine.append(block, { date: day, events: journaled }));
  }

  async close(): Promise<void> {
    await (await this.#engine?.catch(() => null))?.close();
  }
}
