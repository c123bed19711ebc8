/** Which calendars have given the events of a data folder their dates, as its records tell without a service. */
import { utcCalendar, type Calendar } from "../../storage/calendar.ts";
import type { SiteId } from "../../storage/event.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import type { Sha256 } from "../base/sha256.ts";
import { readDefaultCalendar } from "./default-calendar.ts";
import { calendarFrom } from "./site-calendar.ts";
import { readSiteRecord, recordOf, SITES_FOLDER } from "./site-record.ts";

/** Null if the record that tells is damaged. */
export type RecordedCalendars = (siteId: SiteId) => Calendar | null;

export async function readCalendars(records: Pick<RecordStore, "list" | "read">, sha256: Sha256): Promise<RecordedCalendars> {
  const ofAll = await readDefaultCalendar(records).then(calendarFrom, () => null);
  const bySite = new Map<string, Calendar | null>();
  for (const name of await records.list(SITES_FOLDER)) {
    const record = readSiteRecord(records, name, sha256);
    const calendar = record.then(
      (site) => (site?.calendar ? calendarFrom(site.calendar) : ofAll),
      () => null,
    );
    bySite.set(name, await calendar);
  }
  if (bySite.size === 0 && ofAll === utcCalendar) return () => utcCalendar;
  return (siteId) => {
    const ofSite = bySite.get(recordOf(siteId, sha256));
    return ofSite === undefined ? ofAll : ofSite;
  };
}
