/** The overview of many sites: the metrics of each, several sites at a time, all in one query slot (docs/reports.md, "Overview"). */
import { severalAtOnce } from "../../../storage/several-at-once.ts";
import type { Calendar } from "../../../storage/calendar.ts";
import type { SiteId } from "../../../storage/event.ts";
import { mayRead } from "../../access/principal.ts";
import { OVERVIEW_SITES_AT_ONCE } from "../../base/config/report-limits.ts";
import { AppError } from "../../base/errors.ts";
import type { QueryService, RunNumbers } from "../../results/query-service.ts";
import type { NumbersPlan } from "../../results/unchanged-results.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import { parseDateRange, type DateRange } from "../../query/date-range.ts";
import type { Values } from "../../query/parameters.ts";
import type { Reader } from "../../query/reader.ts";
import type { OVERVIEW_PARAMETERS, OverviewResult, OverviewSite } from "./overview-schema.ts";
import { sitePlan, type MetricsRequest, type MetricsSettings, type SiteMetrics } from "./site-metrics.ts";

/** Without the calendar, which the site's instance has, too. */
export interface RemoteRequest extends Omit<MetricsRequest, "calendar"> {
  /** Stands for numbers that are the same as long as the site's events are. */
  readonly key: string;
  /** What is left of the key without its dates: numbers of another key take the place of those that this view had before. */
  readonly view: string;
}

/** The numbers of the site's plans, which its metrics are computed from. */
export type RemoteNumbers = (request: RemoteRequest) => Promise<readonly Float64Array[]>;

export interface OverviewOptions extends MetricsSettings {
  readonly stats: Pick<QueryService, "batch">;
  readonly siteIds: () => Promise<readonly string[]>;
  readonly nameOf: (siteId: SiteId) => string | null;
  readonly calendarOf: (siteId: SiteId) => Calendar;
  /** On hosts with an instance for each site: asks that instance. */
  readonly remote: RemoteNumbers | null;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

export interface OverviewRequest {
  readonly reader: Reader;
  readonly values: Values<typeof OVERVIEW_PARAMETERS>;
  /** By the monotonic clock: no further site is begun then. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

const viewOf = (plans: readonly NumbersPlan[], { dayCount }: DateRange): string => [dayCount, ...plans.map(({ name }) => name)].join();

const keyOf = (plans: readonly NumbersPlan[], timeZone: string): string =>
  [timeZone, ...plans.map(({ name, range }) => `${name} ${range.firstDay} ${range.lastDay}`)].join();

const NO_METRICS = { current_visitors: null, visitors: null, previous_visitors: null, series: null };

const outOfTime = (): AppError => new AppError({ code: "request_timeout" }, "There was no time left for this site. Try again.");

export class Overview {
  readonly #options: OverviewOptions;

  constructor(options: OverviewOptions) {
    this.#options = options;
  }

  /** 403 for a guest of a share link, which shows one site only. 400 for dates that do not form a range. */
  async of(request: OverviewRequest): Promise<OverviewResult> {
    const { reader, values } = request;
    if (reader.principal.view !== null) throw new AppError({ code: "forbidden" }, "A share link shows no overview of sites");
    const { after, limit } = values;
    const readable = (await this.#options.siteIds()).filter((siteId) => mayRead(reader.principal, siteId as SiteId)) as SiteId[];
    const listed = readable.filter((siteId) => after === null || siteId > after).slice(0, limit);
    const requests = listed.map((siteId) => this.#metricsRequest(siteId, request));
    const rows = new Map<SiteId, OverviewSite>();
    await this.#options.stats.batch((run) =>
      severalAtOnce(requests, OVERVIEW_SITES_AT_ONCE, async (site) => void rows.set(site.siteId, await this.#row(site, run, request))),
    );
    return { total: readable.length, sites: listed.flatMap((siteId) => rows.get(siteId) ?? []) };
  }

  #metricsRequest(siteId: SiteId, { reader, values }: OverviewRequest): MetricsRequest {
    const { period, start_date: startDate, end_date: endDate } = values;
    const calendar = reader.calendarOf(siteId);
    const range = parseDateRange({ period, startDate, endDate }, { today: calendar.dateOf(reader.nowMs) });
    return { siteId, range, nowMs: reader.nowMs, calendar };
  }

  /** A site that fails does not fail the others. */
  async #row(site: MetricsRequest, run: RunNumbers, { signal, untilMs }: OverviewRequest): Promise<OverviewSite> {
    const { siteId, range, nowMs, calendar } = site;
    const about = {
      site_id: siteId,
      name: this.#options.nameOf(siteId),
      time_zone: calendar.zoneAt(nowMs),
      start_date: range.firstDay,
      end_date: range.lastDay,
    };
    try {
      if (this.#options.monotonicMs() >= untilMs) throw outOfTime();
      return { ...about, ...(await this.#metrics(site, run, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      return { ...about, ...NO_METRICS, error: this.#messageOf(error, siteId) };
    }
  }

  #messageOf(error: unknown, siteId: SiteId): string {
    if (error instanceof AppError) return error.message;
    this.#options.log.error("the overview of a site could not be computed", { site: siteId, reason: reasonOf(error) });
    return "An unexpected error has occurred. The log says more.";
  }

  async #metrics(request: MetricsRequest, run: RunNumbers, signal: AbortSignal): Promise<SiteMetrics> {
    const { siteId, range, nowMs, calendar } = request;
    const { plans, toMetrics } = sitePlan(request, this.#options);
    const { remote } = this.#options;
    const toRemote = (): RemoteRequest => ({
      ...{ siteId, range, nowMs },
      ...{ key: keyOf(plans, calendar.zoneAt(nowMs)), view: viewOf(plans, range) },
    });
    return toMetrics(await (remote ? remote(toRemote()) : run(siteId, plans, signal)));
  }

  /** The numbers of this instance's site, for the instance that answers for all. */
  numbersOf(request: RemoteRequest, signal: AbortSignal): Promise<readonly Float64Array[]> {
    const { calendarOf, stats } = this.#options;
    const { plans } = sitePlan({ ...request, calendar: calendarOf(request.siteId) }, this.#options);
    return stats.batch((run) => run(request.siteId, plans, signal));
  }
}
