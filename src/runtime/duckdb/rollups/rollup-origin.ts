/** Validity of a rollup: it was made with the program's definitions and settings, of exactly the events that are stored now. */
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import type { PartitionFile, PartitionVersion } from "../../../storage/partitions.ts";
import { hashOf, type RollupFile, rollupFileOf, type RollupOrigin } from "../../../storage/rollup.ts";
import type { RollupSpan } from "./rollup-spans.ts";

/** The program's current way to compute rollups. */
export type RollupDefinitions = Pick<RollupOrigin, "definitions" | "sessionWindowMinutes" | "saltRotationDays" | "arrivals">;

const filesText = (files: readonly PartitionFile[]): string => files.map(({ first, last }) => `${first}-${last}`).join();

/** The origin of a rollup of the span if it were made now. */
export const originOf = (
  siteId: SiteId,
  { firstDay, lastDay, days }: Pick<RollupSpan, "firstDay" | "lastDay" | "days">,
  { definitions, sessionWindowMinutes, saltRotationDays, arrivals }: RollupDefinitions,
): RollupOrigin => ({
  siteId,
  firstDay,
  lastDay,
  definitions,
  sessionWindowMinutes,
  saltRotationDays,
  arrivals,
  events: days.map(({ day, files }) => [day, filesText(files)]),
});

export const definitionsHashOf = ({ definitions, sessionWindowMinutes, saltRotationDays, arrivals }: RollupDefinitions): string =>
  hashOf([definitions, sessionWindowMinutes, saltRotationDays, arrivals]);

export const fileOf = (origin: RollupOrigin): RollupFile =>
  rollupFileOf(origin.siteId, {
    firstDay: origin.firstDay,
    lastDay: origin.lastDay,
    definitionsHash: definitionsHashOf(origin),
    eventsHash: hashOf(origin.events),
  });

/**
 * True if files hold the same events as those that a rollup records: each is one of these or the merge of neighbouring ones. A day's
 * files change in three ways, and for each this stays exact:
 * - A flush adds the file of one segment, which is none of the recorded ones. It counts unless it lies within a file of the day, and
 *   then the days differ.
 * - An erasure deletes the rollups of its days before it deletes files.
 * - A merge replaces neighbours. It alone could hide an added file, one between the recorded ones. While a journal lasts there is none,
 *   because segments are flushed in order and their numbers only grow. But the journal may be lost while the clock is slow, or
 *   restored from a backup. So before a merge, rollups that do not record the day's files are deleted (`RollupStore`).
 */
export function areSameEvents(recorded: string, files: readonly PartitionFile[]): boolean {
  if (recorded === filesText(files)) return true;
  const ranges = recorded.split(",").map((range) => range.split("-").map(Number));
  let at = 0;
  for (const { first, last } of files) {
    if (ranges[at]?.[0] !== first) return false;
    at = ranges.findIndex((range, i) => i >= at && range[1] === last) + 1;
    if (at === 0) return false;
  }
  return at === ranges.length;
}

/** True if a day has the events that a rollup records of it, if these are its files. */
export const recordsFiles = ({ events }: RollupOrigin, day: LocalDate, files: readonly PartitionFile[]): boolean =>
  events.some(([recordedDay, recorded]) => recordedDay === day && areSameEvents(recorded, files));

/** True if the days have exactly these files, and no event that is in none. */
export const areUnchanged = ({ events }: RollupOrigin, days: readonly PartitionVersion[]): boolean =>
  events.length === days.length &&
  days.every(({ day, files, hasUnflushed }, i) => !hasUnflushed && events[i]?.[0] === day && events[i][1] === filesText(files));

/** `arrivals` is null where no row depends on rules of arrivals. */
export type WantedDefinitions = Omit<RollupDefinitions, "arrivals"> & { readonly arrivals: string | null };

/** True if a rollup that was made of `origin` would have the same rows if it were made of the span now. */
export const isValid = (origin: RollupOrigin, siteId: SiteId, span: RollupSpan, definitions: WantedDefinitions): boolean =>
  origin.siteId === siteId &&
  origin.firstDay === span.firstDay &&
  origin.lastDay === span.lastDay &&
  origin.definitions === definitions.definitions &&
  origin.sessionWindowMinutes === definitions.sessionWindowMinutes &&
  origin.saltRotationDays === definitions.saltRotationDays &&
  (definitions.arrivals === null || origin.arrivals === definitions.arrivals) &&
  origin.events.length === span.days.length &&
  span.days.every(({ day, files, hasUnflushed }, i) => {
    const [recordedDay, recorded = ""] = origin.events[i] ?? [];
    return !hasUnflushed && recordedDay === day && areSameEvents(recorded, files);
  });
