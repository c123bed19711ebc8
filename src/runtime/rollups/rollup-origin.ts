/** When a rollup is valid: it was made with the program's definitions and settings, of exactly the events that are stored now. */
import type { SiteId } from "../../storage/event.ts";
import type { PartitionFile } from "../../storage/partition.ts";
import type { RollupOrigin } from "../../storage/rollup.ts";
import { hashOf, rollupFileOf, type RollupFile } from "../../storage/rollup-path.ts";
import type { PartitionVersion } from "../engine/partition-version.ts";
import type { RollupNode } from "./rollup-nodes.ts";

/** How the program computes rollups now. */
export type RollupDefinitions = Pick<RollupOrigin, "definitions" | "sessionWindowMinutes" | "saltRotationDays">;

const filesText = (files: readonly PartitionFile[]): string => files.map(({ first, last }) => `${first}-${last}`).join();

/** What a rollup of the node is made of now. */
export const originOf = (
  siteId: SiteId,
  { firstDay, lastDay, days }: Pick<RollupNode, "firstDay" | "lastDay" | "days">,
  { definitions, sessionWindowMinutes, saltRotationDays }: RollupDefinitions,
): RollupOrigin => ({
  siteId,
  firstDay,
  lastDay,
  definitions,
  sessionWindowMinutes,
  saltRotationDays,
  events: days.map(({ day, files }) => [day, filesText(files)]),
});

export const definitionsHashOf = ({ definitions, sessionWindowMinutes, saltRotationDays }: RollupDefinitions): string =>
  hashOf([definitions, sessionWindowMinutes, saltRotationDays]);

/** The file of a rollup. */
export const fileOf = (origin: RollupOrigin): RollupFile =>
  rollupFileOf(origin.siteId, {
    firstDay: origin.firstDay,
    lastDay: origin.lastDay,
    definitionsHash: definitionsHashOf(origin),
    eventsHash: hashOf(origin.events),
  });

/**
 * Whether files hold the same events as those that a rollup records: each is one of these or the merge of neighbouring ones.
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

/** Whether the days have exactly the events of the origin, and all of them in files. */
export const hasSameEvents = ({ events }: Pick<RollupOrigin, "events">, days: readonly PartitionVersion[]): boolean =>
  events.length === days.length &&
  days.every(({ day, files, hasUnflushed }, i) => {
    const [recordedDay, recorded = ""] = events[i] ?? [];
    return !hasUnflushed && recordedDay === day && areSameEvents(recorded, files);
  });

/** Whether a rollup that was made of `origin` would have the same rows if it were made of the node now. */
export const isValid = (origin: RollupOrigin, siteId: SiteId, node: RollupNode, definitions: RollupDefinitions): boolean =>
  origin.siteId === siteId &&
  origin.firstDay === node.firstDay &&
  origin.lastDay === node.lastDay &&
  origin.definitions === definitions.definitions &&
  origin.sessionWindowMinutes === definitions.sessionWindowMinutes &&
  origin.saltRotationDays === definitions.saltRotationDays &&
  hasSameEvents(origin, node.days);
