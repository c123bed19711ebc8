/**
 * Engaged time that a client sends apart from its page view, in several pings: to which event of the day it belongs, and the files with it.
 * It is added when the day is over, because a page is read longer than a journal segment lasts.
 */
import { type EpochMs, EVENT_NAME_COLUMN, type EventColumn, type LocalDate, NUMBER_COLUMNS, type SiteId, TEXT_COLUMNS } from "./event.ts";
import { decodeEventsOf, type EventFile } from "./parquet-events.ts";
import type { PartitionFile } from "./partitions.ts";

/** Time that a visitor was engaged with a page since the last ping of it. */
export interface Ping {
  readonly siteId: SiteId;
  readonly date: LocalDate;
  readonly visitorId: bigint;
  readonly pathname: string;
  readonly timestampMs: EpochMs;
  readonly engagedMs: number;
}

interface PageView extends Pick<Ping, "visitorId" | "pathname" | "timestampMs"> {
  /** Sent with the event itself, or added before. */
  readonly engagedSeconds: number | null;
}

/** Pings belong to page views with the same key. */
const keyOf = ({ visitorId, pathname }: Pick<Ping, "visitorId" | "pathname">): string => `${visitorId} ${pathname}`;

/**
 * The seconds of page views, by their place in the list. Each ping adds to the last page view at or before it; one without is left out. A
 * page view that has a time keeps it, so adding the same pings again changes nothing.
 */
export function engagedSecondsOf(pageViews: readonly PageView[], pings: readonly Ping[], secondsMax: number): ReadonlyMap<number, number> {
  const places = new Map<string, number[]>(pings.map((ping) => [keyOf(ping), []]));
  pageViews.forEach((pageView, place) => places.get(keyOf(pageView))?.push(place));
  const timeOf = (place: number): EpochMs => pageViews[place]?.timestampMs ?? 0;
  for (const ofKey of places.values()) ofKey.sort((a, b) => timeOf(a) - timeOf(b));
  const engagedMs = new Map<number, number>();
  for (const ping of pings) {
    const place = lastUpTo(places.get(keyOf(ping)) ?? [], timeOf, ping.timestampMs);
    if (place !== null && pageViews[place]?.engagedSeconds === null) engagedMs.set(place, (engagedMs.get(place) ?? 0) + ping.engagedMs);
  }
  return new Map([...engagedMs].map(([place, ms]) => [place, Math.min(Math.round(ms / 1000), secondsMax)]));
}

function lastUpTo(places: readonly number[], timeOf: (place: number) => EpochMs, timestampMs: EpochMs): number | null {
  let [from, to] = [0, places.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (timeOf(places[middle] ?? 0) <= timestampMs) from = middle + 1;
    else to = middle;
  }
  return places[from - 1] ?? null;
}

const columnNamed = <Kind extends EventColumn>(columns: readonly Kind[], field: Kind["field"]): Kind => {
  const column = columns.find((each) => each.field === field);
  if (!column) throw new Error(`events have no ${field}`);
  return column;
};

const PATHNAME = columnNamed(TEXT_COLUMNS, "pathname");
const ENGAGED = columnNamed(NUMBER_COLUMNS, "engagedSeconds");

interface StoredPageView extends PageView {
  /** Counted from 0, over all row groups of the file. */
  readonly row: number;
}

/** The page views of a file to which pings can belong. Throws if it cannot be read. */
export function pageViewsFor(pings: readonly Ping[], { siteId, bytes }: EventFile): StoredPageView[] {
  const visitors = new Set(pings.map(({ visitorId }) => visitorId));
  const keys = new Set(pings.map(keyOf));
  const pageViews: StoredPageView[] = [];
  let before = 0;
  for (const decoded of decodeEventsOf(siteId, bytes, [EVENT_NAME_COLUMN, PATHNAME, ENGAGED])) {
    const { timestampsMs, visitorIds, rows } = decoded;
    const [names, paths, engaged] = [decoded.text(EVENT_NAME_COLUMN), decoded.text(PATHNAME), decoded.number(ENGAGED)];
    for (let row = 0; row < rows; row++) {
      const visitorId = visitorIds[row] ?? 0n;
      if (!visitors.has(visitorId) || names.texts[names.places[row] ?? -1] !== "pageview") continue;
      const pathname = paths.texts[paths.places[row] ?? -1] ?? "";
      if (!keys.has(keyOf({ visitorId, pathname }))) continue;
      const engagedSeconds = engaged.recorded[row] === 1 ? Number(engaged.numbers[row]) : null;
      pageViews.push({ row: before + row, visitorId, pathname, timestampMs: Number(timestampsMs[row]), engagedSeconds });
    }
    before += rows;
  }
  return pageViews;
}

/**
 * Groups in which changed files are rewritten, so that each gets a name that no file has had: caches know a day's content by the names of
 * its files. A file whose range follows that of its neighbour without a gap cannot grow, and is rewritten with a neighbour.
 */
export function planRewrites(files: readonly PartitionFile[], isChanged: (file: PartitionFile) => boolean): PartitionFile[][] {
  const groups: PartitionFile[][] = [];
  const groupOf = new Map<PartitionFile, PartitionFile[]>();
  const begin = (group: PartitionFile[]) => {
    groups.push(group);
    for (const file of group) groupOf.set(file, group);
  };
  files.forEach((file, i) => {
    if (!isChanged(file) || groupOf.has(file)) return;
    const [before, after] = [files[i - 1], files[i + 1]];
    if (!before || before.last < file.first - 1) begin([file]);
    else if (!groupOf.has(before)) begin([before, file]);
    else if (after) begin([file, after]);
    else {
      const group = groupOf.get(before);
      group?.push(file);
      if (group) groupOf.set(file, group);
    }
  });
  return groups;
}
