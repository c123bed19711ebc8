/** What a site has beside an import: its first event of its own, and the days of other imports. */
import { daysOfSpans } from "../../storage/day-sums.ts";
import { EVENT_NAME_COLUMN, eventOf, type LocalDate, type SiteId } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { readEvents } from "../../storage/parquet-events.ts";
import { importOf, type Partition } from "../../storage/partitions.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { ImportRecord, ImportRecords } from "./import-record.ts";
import type { OtherImport } from "./identities.ts";
import type { CoveredDays } from "./manifest.ts";

const FIRST_DAY = "0001-01-01" as LocalDate;
const LAST_DAY = "9999-12-31" as LocalDate;

type FirstOwn = CoveredDays["firstOwn"];

const isOwn = ({ files, journaled }: Partition): boolean =>
  files.some((file) => importOf(file) === null) || journaled.some(({ events }) => events.length > 0);

/** Files that cannot be read do not count: reports leave them out, too. */
export function firstOwnEvent(eventStore: EventStore, siteId: SiteId): Promise<FirstOwn> {
  return eventStore.withSnapshot(siteId, FIRST_DAY, LAST_DAY, async (partitions) => {
    for (const partition of partitions.filter(isOwn)) {
      const found = await firstOf(eventStore, siteId, partition);
      if (found) return found;
    }
    return null;
  });
}

async function firstOf(eventStore: EventStore, siteId: SiteId, { day, files, journaled }: Partition): Promise<FirstOwn> {
  let [timestampMs, pageviewsOfDay] = [Infinity, 0];
  const add = (atMs: number, name: string | undefined) => {
    timestampMs = Math.min(timestampMs, atMs);
    if (name === PAGEVIEW) pageviewsOfDay++;
  };
  for (const file of files.filter((each) => importOf(each) === null)) {
    const bytes = await eventStore.read(file);
    for (const part of bytes ? readEvents(bytes, siteId, [EVENT_NAME_COLUMN]) : []) {
      if ("reason" in part) break;
      const { texts, places } = part.text(EVENT_NAME_COLUMN);
      part.timestampsMs.forEach((atMs, i) => add(Number(atMs), texts[places[i] ?? -1]));
    }
  }
  for (const text of journaled.flatMap(({ events, inFiles }) => (inFiles ? [] : events))) {
    const event = eventOf(text);
    add(event.timestampMs, event.eventName);
  }
  return timestampMs === Infinity ? null : { timestampMs, day, pageviewsOfDay };
}

/** The other imports of the site that are complete, shown or hidden, with their days. */
export async function otherImports(
  eventStore: EventStore,
  records: ImportRecords,
  { siteId, number }: Pick<ImportRecord, "siteId" | "number">,
): Promise<OtherImport[]> {
  const others = records.all.filter(
    (other) => other.siteId === siteId && other.number !== number && (other.state === "shown" || other.state === "hidden"),
  );
  return Promise.all(
    others.map(async ({ formats, ...other }) => ({
      number: other.number,
      formats,
      days: new Set([...(await eventStore.daysOfImport(siteId, other.number)), ...daysOfSpans(other.days)]),
    })),
  );
}
