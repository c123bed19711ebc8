/** States of a report: loading, empty, failed, and dimmed while newer data loads. */
import type { ComponentChildren } from "preact";
import { daysReadText, readingText } from "../format/reading.ts";
import { outage } from "../state/connection.ts";
import { range } from "../state/period.ts";
import { announced } from "../state/reading.ts";
import type { Report } from "../state/requests.ts";
import { canClear, clearAllFilters } from "../state/view-filters.ts";
import { fill, rich, words } from "../words/words.ts";
import type { CoverageNoteProps } from "./coverage-note.tsx";
import { LinkButton } from "./inline.tsx";
import { lazyLater } from "./lazy.tsx";
import { Shore } from "./shore.tsx";

interface SkeletonProps {
  readonly rows?: number | undefined;
}

/** Says on paper that something is missing. */
const NotPrinted = () => <p class="on-paper">{words.kit.notPrinted}</p>;

/** Stands for rows that are loading, or that load once they are near the viewport. */
export const Skeleton = ({ rows = 9 }: SkeletonProps) => (
  <div class="skeleton" aria-hidden="true">
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} class="loading-row" />
    ))}
    <NotPrinted />
  </div>
);

/** Has the height of a map as wide as the card, and of its foot. */
export const MapPlaceholder = () => (
  <div class="skeleton map-placeholder" aria-hidden="true">
    <div class="map-place" />
    <NotPrinted />
  </div>
);

export const Loading = ({ rows, children }: SkeletonProps & { readonly children?: ComponentChildren }) => (
  <div class="loading" role="status" aria-label={words.kit.loading}>
    {children ?? <Skeleton rows={rows} />}
  </div>
);

const NoResults = () => <>{rich(words.kit.noResults, { clear: (text) => <LinkButton onClick={clearAllFilters}>{text}</LinkButton> })}</>;

/** Default text: no data in the period, or none under the reader's filters. */
export const Empty = ({ children }: { readonly children?: ComponentChildren }) => (
  <p class="empty">
    <Shore scene="gone" />
    <span>{children ?? (canClear.value ? <NoResults /> : words.kit.noData)}</span>
  </p>
);

/** Retrying is useless if the behavioral extension is missing. */
export function Failure({ report }: { readonly report: Pick<Report<unknown>, "error" | "retry"> }) {
  const { error, retry } = report;
  const isExtensionMissing = error?.kind === "extension_missing";
  return (
    <div class="failure" role="alert">
      <Shore scene="resting" />
      <p>{error?.message}</p>
      {!isExtensionMissing && (
        <button type="button" class="button small" onClick={retry}>
          {words.kit.tryAgain}
        </button>
      )}
    </div>
  );
}

/** Stands above placeholders or dimmed data while a report takes its time. */
const ReadingNote = ({ report: { reading } }: { readonly report: Pick<Report<unknown>, "reading"> }) =>
  reading && (
    <p class="reading">
      <span>
        {readingText(reading, range.value)} <b>{daysReadText(reading)}</b>
      </span>
    </p>
  );

/** Announces reports that take their time, once for all of them. */
export function ReadingStatus() {
  const reading = announced.value;
  return (
    <p class="unseen" role="status">
      {reading && `${readingText(reading, range.value)} ${daysReadText(reading)}`}
    </p>
  );
}

/** One message for all reports. */
export const OutageBanner = ({ hasNumbers = true }: { readonly hasNumbers?: boolean }) =>
  outage.value === null ? null : (
    <p class="offline" role="alert">
      {fill(hasNumbers ? words.kit.lastNumbers : words.kit.retrying, { problem: outage.value })}
    </p>
  );

export const Problem = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );

export const CoverageNote = lazyLater<CoverageNoteProps>(async () => (await import("./coverage-note.tsx")).CoverageNote);

interface ReportViewProps<T> {
  readonly report: Report<T>;
  /** Rows of the loading state. */
  readonly rows?: number;
  /** Replaces the rows. */
  readonly placeholder?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

export function ReportView<T>({ report, rows, placeholder, children }: ReportViewProps<T>) {
  const { data, error, isStale, leftOut } = report;
  if (error) return <Failure report={report} />;
  return (
    <>
      <ReadingNote report={report} />
      {data === undefined ? (
        <Loading rows={rows}>{placeholder}</Loading>
      ) : (
        <div class={isStale ? "report stale" : "report"} aria-busy={isStale}>
          {children(data)}
          {leftOut.length > 0 && <CoverageNote days={leftOut} />}
        </div>
      )}
    </>
  );
}
