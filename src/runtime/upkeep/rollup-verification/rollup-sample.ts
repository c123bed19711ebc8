/** Which of a site's rollups are compared with their events when not all are. */
import type { LocalDate } from "../../../storage/event.ts";
import type { ObjectKey } from "../../../storage/object-store.ts";
import { dayNumberOf } from "../../../storage/calendar.ts";
import { ROLLUPS_COMPARED_PER_SITE } from "../../base/config/report-limits.ts";

export interface SampledRollup {
  readonly key: ObjectKey;
  readonly lastDay: LocalDate;
  readonly sizeBytes: number;
}

/** The newest, the largest, and some of the others: each day the next ones, so that a daily run compares all of them in time. */
export function sampleOf<Rollup extends SampledRollup>(rollups: readonly Rollup[], today: LocalDate): Rollup[] {
  const [newest] = rollups.toSorted((a, b) => (a.lastDay === b.lastDay ? a.sizeBytes - b.sizeBytes : a.lastDay < b.lastDay ? 1 : -1));
  const [largest] = rollups.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  const chosen = new Set([newest, largest].flatMap((rollup) => rollup ?? []));
  const others = rollups.filter((rollup) => !chosen.has(rollup));
  const more = Math.min(ROLLUPS_COMPARED_PER_SITE - chosen.size, others.length);
  const first = (dayNumberOf(today) * more) % Math.max(1, others.length);
  for (let i = 0; i < more; i++) {
    const next = others[(first + i) % others.length];
    if (next) chosen.add(next);
  }
  return [...chosen];
}
