/**
 * Which files are in another folder than their events belong to, and the command that moves them back: a folder that was renamed by hand
 * does not rename its site.
 */
import { widestDay } from "../../storage/calendar.ts";
import { type LocalDate, SITE_COLUMN, type SiteId } from "../../storage/event.ts";
import { decodeEvents } from "../../storage/parquet-events.ts";
import { dayFolder, siteFolder } from "../../storage/partition-path.ts";
import type { PartitionFile } from "../../storage/partition.ts";
import { isSiteId } from "../base/config/names.ts";

/** All its events are of this site, which is not that of its folder. */
export interface MisplacedFile {
  readonly file: PartitionFile;
  readonly siteId: SiteId;
}

export interface ReadFile {
  readonly rows: number;
  /** The site of all its events, if it is not that of the folder. */
  readonly otherSite: SiteId | null;
  readonly faults: readonly string[];
}

/**
 * The number of a file's events, and of those of another site than the folder's, or that cannot have its date. Which date an event has was
 * decided when it came: the calendar of today, and the time zones that this host knows, do not tell. Throws if it cannot be read.
 */
export function readFile(bytes: Uint8Array, siteId: SiteId, day: LocalDate): ReadFile {
  const { startMs, endMs } = widestDay(day);
  const sites = new Set<string | undefined>();
  let [rows, ofOtherSites, ofOtherDays] = [0, 0, 0];
  for (const decoded of decodeEvents(bytes)) {
    const { texts, places } = decoded.text(SITE_COLUMN);
    rows += decoded.rows;
    for (const place of places) {
      sites.add(texts[place]);
      if (texts[place] !== siteId) ofOtherSites++;
    }
    ofOtherDays += decoded.timestampsMs.filter((timestampMs) => timestampMs < startMs || timestampMs >= endMs).length;
  }
  const [site] = sites;
  const otherSite = sites.size === 1 && site !== undefined && site !== siteId && isSiteId(site) ? site : null;
  const told = (count: number, what: string) =>
    count > 0 ? [`${count} of its ${rows} events are of another ${what} than its folder`] : [];
  return { rows, otherSite, faults: [...(otherSite === null ? told(ofOtherSites, "site") : []), ...told(ofOtherDays, "day")] };
}

const RUN = "Reports leave them out. To move them back, stop the server and run in the data folder:";

/** Faults of the files of one folder. `isWhole`: it contains no others. `sites` have folders. */
export function misplacedFaults(
  folderSite: SiteId,
  misplaced: readonly MisplacedFile[],
  isWhole: boolean,
  sites: ReadonlySet<SiteId>,
): (readonly [key: string, reason: string])[] {
  const [site, ...others] = new Set(misplaced.map(({ siteId }) => siteId));
  const folder = siteFolder(folderSite);
  if (site !== undefined && others.length === 0 && isWhole && !sites.has(site))
    return [[folder, `it was renamed: all its events are of ${site}. ${RUN} mv ${folder} ${siteFolder(site)}`]];
  return misplaced.map(({ file: { key, day }, siteId }) => {
    const target = dayFolder(siteId, day);
    return [key, `its events are of ${siteId}, not of the site of its folder. ${RUN} mkdir -p ${target} && mv -n ${key} ${target}/`];
  });
}
