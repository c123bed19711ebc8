/**
 * Results of plans, reused while the events that they are computed from are the same. An overview of many sites is mostly of sites
 * without a new event, and its closed days never change.
 */
import type { ImportedDays } from "../../storage/day-sums.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { UNCHANGED_RESULTS_BYTES_MAX } from "../base/config/report-limits.ts";
import { type DateRange, rangeOfDays } from "../query/date-range.ts";
import type { Scope, SiteRange } from "../query/scope.ts";
import type { PartitionVersion } from "../../storage/partitions.ts";
import type { AggregateQuery, StepRows } from "../query/plan.ts";
import type { QueryEngine, ReportQuery } from "../query/query-engine.ts";

/** A plan whose result follows from the events of one range, and from its name. */
export interface NumbersPlan extends SiteRange {
  readonly name: string;
  readonly queries: readonly AggregateQuery[];
  readonly toNumbers: (...rows: StepRows) => Float64Array;
}

interface Entry {
  readonly firstDay: LocalDate;
  /** Which visits count. */
  readonly visits: string;
  /** null if the backend knows no versions. */
  readonly version: string | null;
  readonly computedAtMs: number;
  readonly numbers: Float64Array;
}

const bytesOf = (key: string, { version, visits, numbers }: Entry): number =>
  2 * (key.length + (version?.length ?? 0) + visits.length) + numbers.byteLength;

/** Empty if all visits count. */
const visitsOf = ({ conditions, arrivalRules }: Scope): string =>
  conditions.length === 0 ? "" : JSON.stringify([conditions, arrivalRules]);

interface UnchangedResultsOptions {
  readonly engine: Pick<QueryEngine, "execute">;
  /** The versions of the site's days with events, oldest first; null if others add events, too. */
  readonly versionsOf:
    | ((siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate) => Promise<readonly Pick<PartitionVersion, "day" | "version">[]>)
    | null;
  /** Lifetime of a result if the backend does not know whether its events changed. */
  readonly ttlSecs: number;
  readonly monotonicMs: () => number;
}

/** All events of a range; empty without any. */
const versionOf = ({ firstDay, lastDay }: DateRange, days: readonly Pick<PartitionVersion, "day" | "version">[]): string =>
  days
    .filter(({ day }) => firstDay <= day && day <= lastDay)
    .map(({ day, version }) => `${day}:${version}`)
    .join(" ");

/** Imports with sums of days of a range; empty without any. */
const importedIn = ({ firstDay, lastDay }: DateRange, imported: readonly ImportedDays[]): string =>
  imported
    .filter(({ days }) => days.some(([first, last]) => first <= lastDay && firstDay <= last))
    .map((each) => ` import ${each.import}`)
    .join("");

function spanOf(plans: readonly NumbersPlan[]): DateRange {
  const days = plans.flatMap(({ range }) => [range.firstDay, range.lastDay]).sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) throw new Error("there are no plans");
  return rangeOfDays(first, last);
}

export class UnchangedResults {
  readonly #options: UnchangedResultsOptions;
  /** Entries by site, in order of last use, and then by plan. */
  readonly #entries = new Map<SiteId, Map<string, Entry>>();
  #bytes = 0;

  constructor(options: UnchangedResultsOptions) {
    this.#options = options;
  }

  /** The numbers of each plan, over every event accepted before the call. The query with the value `plan` computes those of one. */
  async run(query: ReportQuery, plans: readonly NumbersPlan[], signal: AbortSignal): Promise<Float64Array[]> {
    const { siteId } = query.scope;
    const ofSite = this.#entriesOf(siteId);
    const { firstDay, lastDay } = spanOf(plans);
    const days = (await this.#options.versionsOf?.(siteId, firstDay, lastDay)) ?? null;
    const results: Float64Array[] = [];
    const { imported = [] } = query.scope;
    const visits = visitsOf(query.scope);
    const version = ({ range }: NumbersPlan) => days && versionOf(range, days) + importedIn(range, imported);
    for (const plan of plans) results.push(await this.#result(query, plan, ofSite, { version: version(plan), visits }, signal));
    return results;
  }

  async #result(
    query: ReportQuery,
    { range, queries, toNumbers, name }: NumbersPlan,
    ofSite: Map<string, Entry>,
    of: Pick<Entry, "version" | "visits">,
    signal: AbortSignal,
  ): Promise<Float64Array> {
    const { engine, monotonicMs } = this.#options;
    // Tomorrow's window takes the place of today's.
    const key = `${name} ${range.dayCount}`;
    const known = ofSite.get(key);
    if (known?.firstDay === range.firstDay && known.visits === of.visits && this.#isCurrent(known, of.version)) return known.numbers;
    const computedAtMs = monotonicMs();
    const compute = async () => {
      const text = await engine.execute({ ...query, values: { plan: name } }, { isGuest: false, signal });
      return Float64Array.from(JSON.parse(text) as readonly number[]);
    };
    const numbers = of.version === "" ? toNumbers(...queries.map(() => [])) : await compute();
    // Otherwise they were dropped meanwhile, because events were erased that these numbers may count.
    if (this.#entries.get(query.scope.siteId) === ofSite)
      this.#store(ofSite, key, { firstDay: range.firstDay, ...of, computedAtMs, numbers });
    return numbers;
  }

  #isCurrent({ version, computedAtMs }: Entry, current: string | null): boolean {
    if (current !== null) return version === current;
    return this.#options.monotonicMs() - computedAtMs < this.#options.ttlSecs * 1000;
  }

  /** The site becomes the one that was used last. */
  #entriesOf(siteId: SiteId): Map<string, Entry> {
    const ofSite = this.#entries.get(siteId) ?? new Map<string, Entry>();
    this.#entries.delete(siteId);
    this.#entries.set(siteId, ofSite);
    return ofSite;
  }

  #store(ofSite: Map<string, Entry>, key: string, entry: Entry): void {
    this.#remove(ofSite, key);
    ofSite.set(key, entry);
    this.#bytes += bytesOf(key, entry);
    for (const siteId of this.#entries.keys()) {
      if (this.#bytes <= UNCHANGED_RESULTS_BYTES_MAX) return;
      this.dropSite(siteId);
    }
  }

  #remove(ofSite: Map<string, Entry>, key: string): void {
    const entry = ofSite.get(key);
    if (!entry) return;
    ofSite.delete(key);
    this.#bytes -= bytesOf(key, entry);
  }

  dropSite(siteId: SiteId): void {
    const ofSite = this.#entries.get(siteId);
    for (const key of [...(ofSite?.keys() ?? [])]) if (ofSite) this.#remove(ofSite, key);
    this.#entries.delete(siteId);
  }
}
