/** The sentence above the chart: "Up 13%. 11 November doubled, mostly from Hacker News." Its day and its source are links. */
import { UNRECORDED } from "../../src/shared/filters.ts";
import { isOfClock, type Interval } from "../../src/shared/periods.ts";
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import { formatValue } from "../format/dimensions.ts";
import { formatLongDay, formatLongMonth, formatShare } from "../format/locale.ts";
import { LinkButton } from "../kit/inline.tsx";
import { canFilterBy } from "../state/filters.ts";
import { isCardShown } from "../state/known-sites.ts";
import { useRequest, type Report } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { filters, toggleFilter } from "../state/view-filters.ts";
import type { Bucket, ChartPoint } from "./points.ts";
import type { MetricTotals } from "./shown-metrics.ts";
import { changeBetween, growthText, outlierIn, sourceOf, type CountsBySource, type Outlier } from "./summary.ts";

/** Fields that both series and breakdowns have. */
const COUNTED = ["visitors", "pageviews", "events"] as const;
type CountedField = (typeof COUNTED)[number];

export const isCounted = (field: string): field is CountedField => (COUNTED as readonly string[]).includes(field);

interface SummaryProps {
  readonly field: CountedField;
  readonly points: readonly ChartPoint[];
  readonly interval: Interval;
  readonly totals: MetricTotals;
  readonly onOpen: (bucket: Bucket) => void;
}

/** Enough to find a source of a single day among those of the range. */
const RANGE_ROWS = 100;
const BUCKET_ROWS = 5;

function changeText({ now, before }: MetricTotals): string | null {
  const change = now === null || before === null ? null : changeBetween(now, before);
  return change === null ? null : `${change > 0 ? "Up" : "Down"} ${formatShare(Math.abs(change))}.`;
}

function nameOf({ start }: Bucket, interval: Interval): string {
  if (interval === "month") return formatLongMonth(start);
  return interval === "week" ? `The week of ${formatLongDay(start)}` : formatLongDay(start);
}

/** Skips hours: nights say nothing about days. */
const outlierOf = (points: readonly ChartPoint[], interval: Interval): Outlier | null =>
  isOfClock(interval) ? null : outlierIn(points.map(({ value, bucket }) => (bucket.state === "whole" ? value : null)));

type Rows = Reports["breakdown"];

const countsOf = (rows: Rows, field: CountedField): CountsBySource => new Map(rows.map((row) => [row.value, row[field]]));

const useSources = (parameters: Record<string, string | number | null>): Report<Rows> =>
  useRequest<Rows>(urlOf("/api/stats/breakdown/visit-sources", { ...scope.value, ...parameters }));

interface SourceProps extends Pick<SummaryProps, "field"> {
  readonly outlier: Outlier;
  readonly bucket: Bucket;
  /** The count of the whole range. */
  readonly total: number;
}

/** Requested once the chart is shown, and so after the reports of the view. */
function Source({ field, outlier, bucket, total }: SourceProps) {
  const inBucket = useSources({ period: null, start_date: bucket.start, end_date: bucket.end, limit: BUCKET_ROWS });
  const inRange = useSources({ limit: RANGE_ROWS });
  if (!inBucket.data || !inRange.data || inBucket.isStale || inRange.isStale) return null;
  const source = sourceOf(outlier, countsOf(inBucket.data, field), countsOf(inRange.data, field), total);
  if (source === null || !canFilterBy(source)) return null;
  return (
    <>
      , mostly {source !== UNRECORDED && "from"}{" "}
      <LinkButton onClick={() => toggleFilter("visit-sources", source)}>
        {source === UNRECORDED ? "direct" : formatValue("visit-sources", source)}
      </LinkButton>
    </>
  );
}

export function SummaryLine({ field, points, interval, totals, onOpen }: SummaryProps) {
  const change = changeText(totals);
  const outlier = outlierOf(points, interval);
  const bucket = outlier && points[outlier.index]?.bucket;
  if (change === null && !bucket) return null;
  const isBySource = filters.value.some(({ dimension }) => dimension === "visit-sources");
  return (
    <p class="chart-summary">
      {change}{" "}
      {bucket && (
        <>
          <LinkButton onClick={() => onOpen(bucket)}>{nameOf(bucket, interval)}</LinkButton> {growthText(outlier)}
          {!isBySource && isCardShown("sources") && totals.now !== null && (
            <Source key={bucket.start} field={field} outlier={outlier} bucket={bucket} total={totals.now} />
          )}
          .
        </>
      )}
    </p>
  );
}
