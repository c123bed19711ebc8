/** GET /api/stats/overview: the metrics of many sites, several sites at a time, all in one query slot (docs/reports.md, "Overview"). */
import { OVERVIEW_SITES_MAX, RANGE_DAYS_MAX } from "../../../shared/limits.ts";
import type { Calendar } from "../../../storage/calendar.ts";
import type { EpochMs, SiteId } from "../../../storage/event.ts";
import { severalAtOnce } from "../../../storage/object-store.ts";
import { mayRead } from "../../access/principal.ts";
import { parseSiteId, siteIdSchema } from "../../base/config/names.ts";
import { OVERVIEW_SITES_DEFAULT, OVERVIEW_SITES_AT_ONCE } from "../../base/config/report-limits.ts";
import { AppError } from "../../base/errors.ts";
import { closed, count, list, orNull, text, type Described } from "../../base/json-schema.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import { type DateRange, parseDateRange, SHORT_PERIOD_NAMES } from "../../query/date-range.ts";
import { optional, rowLimit, type Values } from "../../query/parameters.ts";
import { type Reader, type Scope, SCOPE_PARAMETERS, SHORT_END_DATE } from "../../query/scope.ts";
import type { ReportQuery } from "../../query/query-engine.ts";
import type { QueryService, RunNumbers } from "../../results/query-service.ts";
import type { NumbersPlan } from "../../results/unchanged-results.ts";
import { DAY } from "../measures/fields.ts";
import { OVERVIEW_NUMBERS, queryOf } from "../queries.ts";
import { sitePlan, type MetricsRequest, type MetricsSettings, type SiteMetrics } from "./site-metrics.ts";

export const OVERVIEW_PARAMETERS = {
  period: { ...SCOPE_PARAMETERS.period, schema: { ...SCOPE_PARAMETERS.period.schema, enum: SHORT_PERIOD_NAMES } },
  start_date: SCOPE_PARAMETERS.start_date,
  end_date: SHORT_END_DATE,
  limit: rowLimit("Maximum number of sites.", OVERVIEW_SITES_MAX, OVERVIEW_SITES_DEFAULT),
  after: optional(
    {
      description: "Only sites with greater ids. Pass the last id of the previous response to read on.",
      schema: siteIdSchema("A site id."),
    },
    parseSiteId,
  ),
};

const DAY_HOURS_MAX = 25;

const SITE = closed(
  {
    site_id: text("The site id."),
    name: orNull(text("The site's display name. Null without such a setting.")),
    time_zone: text("The IANA name of the site's time zone."),
    start_date: DAY,
    end_date: DAY,
    current_visitors: orNull(count("Distinct visitors with any event in the last `realtime_window_minutes`. Null if `error` is present.")),
    visitors: orNull(count("Distinct visitors. Null if `error` is present.")),
    previous_visitors: orNull(
      count(
        "Distinct visitors of the equally long window that begins the fewest whole weeks earlier without an overlap. If the range " +
          "includes today, the day of that window that corresponds to today counts until the same minute. Null if `error` is present.",
      ),
    ),
    series: orNull(
      list("Visitors by day, or by hour if the range is one day; oldest first. Null if `error` is present.", count("Distinct visitors."), {
        minItems: 1,
        maxItems: Math.max(RANGE_DAYS_MAX, DAY_HOURS_MAX),
      }),
    ),
    error: text("Why the site's metrics could not be computed. Absent if they were."),
  },
  { optional: ["error"] },
);

export type OverviewSite = Described<typeof SITE>;

export const OVERVIEW = closed({
  total: count("All sites that the caller may read."),
  sites: list("In ascending order of their ids.", SITE, { maxItems: OVERVIEW_SITES_MAX }),
});

export type OverviewResult = Described<typeof OVERVIEW>;

/** Calendar and rules are known to the site's own instance. */
export interface RemoteRequest extends Pick<Scope, "siteId" | "range">, Pick<MetricsRequest, "nowMs"> {
  /** Equal keys have equal numbers, as long as the site's events do not change. */
  readonly key: string;
  /** The key without its dates. A cache keeps the numbers of one key for each view. */
  readonly view: string;
}

export type RemoteNumbers = (request: RemoteRequest) => Promise<readonly Float64Array[]>;

export interface OverviewOptions extends MetricsSettings {
  readonly stats: Pick<QueryService, "batch">;
  readonly siteIds: () => Promise<readonly string[]>;
  readonly nameOf: (siteId: SiteId) => string | null;
  readonly calendarOf: (siteId: SiteId) => Calendar;
  /** The visits of a site that count at a time. */
  readonly visitsOf: (siteId: SiteId, nowMs: EpochMs) => Omit<Scope, "range">;
  /** Set on hosts with an instance for each site. */
  readonly remote: RemoteNumbers | null;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

export interface OverviewRequest {
  readonly reader: Reader;
  readonly values: Values<typeof OVERVIEW_PARAMETERS>;
  /** Monotonic. No further site is begun after this time. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

const viewOf = (plans: readonly NumbersPlan[], { dayCount }: DateRange): string => [dayCount, ...plans.map(({ name }) => name)].join();

const keyOf = (plans: readonly NumbersPlan[], timeZone: string): string =>
  [timeZone, ...plans.map(({ name, range }) => `${name} ${range.firstDay} ${range.lastDay}`)].join();

const numbersQuery = (site: MetricsRequest): ReportQuery => queryOf(OVERVIEW_NUMBERS, site.scope, site);

const NO_METRICS = { current_visitors: null, visitors: null, previous_visitors: null, series: null };

export class Overview {
  readonly #options: OverviewOptions;

  constructor(options: OverviewOptions) {
    this.#options = options;
  }

  /** 403 for guests, who see one site only. 400 for dates that do not form a range. */
  async of(request: OverviewRequest): Promise<OverviewResult> {
    const { reader, values } = request;
    if (reader.principal.view !== null) throw new AppError({ code: "forbidden" }, "Share links cannot show the overview");
    const { after, limit } = values;
    const readable = (await this.#options.siteIds()).filter((siteId) => mayRead(reader.principal, siteId as SiteId)) as SiteId[];
    const listed = readable.filter((siteId) => after === null || siteId > after).slice(0, limit);
    const requests = listed.map((siteId) => this.#metricsRequest(siteId, request));
    const rows = new Map<SiteId, OverviewSite>();
    await this.#options.stats.batch((run) =>
      severalAtOnce(
        requests,
        OVERVIEW_SITES_AT_ONCE,
        async (site) => void rows.set(site.scope.siteId, await this.#row(site, run, request)),
      ),
    );
    return { total: readable.length, sites: listed.flatMap((siteId) => rows.get(siteId) ?? []) };
  }

  #metricsRequest(siteId: SiteId, { reader, values }: OverviewRequest): MetricsRequest {
    const { period, start_date: startDate, end_date: endDate } = values;
    const calendar = reader.calendarOf(siteId);
    const range = parseDateRange({ period, startDate, endDate }, { today: calendar.dateOf(reader.nowMs) });
    return { scope: { ...this.#options.visitsOf(siteId, reader.nowMs), range }, nowMs: reader.nowMs, calendar };
  }

  /** A failure of one site does not fail the others. */
  async #row(site: MetricsRequest, run: RunNumbers, { signal, untilMs }: OverviewRequest): Promise<OverviewSite> {
    const { scope, nowMs, calendar } = site;
    const { siteId, range } = scope;
    const about = {
      site_id: siteId,
      name: this.#options.nameOf(siteId),
      time_zone: calendar.zoneAt(nowMs),
      start_date: range.firstDay,
      end_date: range.lastDay,
    };
    try {
      if (this.#options.monotonicMs() >= untilMs) {
        throw new AppError({ code: "request_timeout" }, "No time was left for this site. Try again.");
      }
      return { ...about, ...(await this.#metrics(site, run, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      return { ...about, ...NO_METRICS, error: this.#messageOf(error, siteId) };
    }
  }

  #messageOf(error: unknown, siteId: SiteId): string {
    if (error instanceof AppError) return error.message;
    this.#options.log.error("the overview of a site could not be computed", { site: siteId, reason: reasonOf(error) });
    return "An unexpected error occurred. See the log.";
  }

  async #metrics(request: MetricsRequest, run: RunNumbers, signal: AbortSignal): Promise<SiteMetrics> {
    const { scope, nowMs, calendar } = request;
    const { siteId, range } = scope;
    const { plans, toMetrics } = sitePlan(request, this.#options);
    const { remote } = this.#options;
    if (!remote) return toMetrics(await run(numbersQuery(request), plans, signal));
    return toMetrics(await remote({ siteId, range, nowMs, key: keyOf(plans, calendar.zoneAt(nowMs)), view: viewOf(plans, range) }));
  }

  /** Answers `RemoteNumbers` on the site's own instance. */
  numbersOf({ siteId, range, nowMs }: RemoteRequest, signal: AbortSignal): Promise<readonly Float64Array[]> {
    const { calendarOf, visitsOf, stats } = this.#options;
    const ofSite = { scope: { ...visitsOf(siteId, nowMs), range }, nowMs, calendar: calendarOf(siteId) };
    const { plans } = sitePlan(ofSite, this.#options);
    return stats.batch((run) => run(numbersQuery(ofSite), plans, signal));
  }
}
