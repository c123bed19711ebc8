/** Days of a program that makes rollups of few events: its history for fault sweeps, and what must be true whatever failed. */
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { ROLLUP_RETRY_MS_MIN } from "../../src/runtime/base/config/report-limits.ts";
import { DAY_MS, type LocalDate, utcDateOf } from "../../src/storage/event.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { daysOfRollupKey, rollupFolder } from "../../src/storage/rollup.ts";
import type { InProcessParts, InProcessTarget } from "../support/in-process-target.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import type { Environment } from "../support/target.ts";
import { Ledger } from "./ledger.ts";

export const SITE = siteId("rolled.test");

/** Every day with an event is worth a rollup. */
export const ROLLING: InProcessParts = { rollupWeightBytesMin: 1 };

export const ENVIRONMENT: Environment = { SVC_COMPACT_AFTER_FILES: "1" };

export const dayBack = (target: InProcessTarget, back: number): LocalDate => utcDateOf(target.nowMs() - back * DAY_MS);

/** Makes all rollups that are due. */
export async function makeRollups({ services: { compaction, rollups } }: InProcessTarget): Promise<void> {
  await compaction.run();
  do {
    rollups.tick();
    await rollups.settled();
    // It waits for queries to end.
    await setImmediate();
  } while (rollups.isBusy);
}

/** An event of an earlier day, as after the clock was set back. */
export const appendLate = (target: InProcessTarget, back: number): Promise<void> =>
  target.services.eventStore.append(anEvent({ siteId: SITE, timestampMs: target.nowMs() - back * DAY_MS, pathname: "/late" }));

const PATHS = [
  "main?compare=previous_period",
  "timeseries?",
  "session-timeseries?",
  "breakdown/pages?limit=1000",
  "breakdown/browsers?",
  "breakdown/entry-pages?",
  "goals?",
  "properties?",
  "property-values?key=plan",
  "revenue?",
];

/** The responses of reports over days of every distance, by path. */
export async function reportsOf(target: InProcessTarget): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of PATHS) {
    for (const [first, last] of [
      [30, 0],
      [3, 1],
      [2, 2],
    ] as const) {
      const query = `site_id=${SITE}&start_date=${dayBack(target, first)}&end_date=${dayBack(target, last)}`;
      const response = await target.fetch(`/api/stats/${path}&${query}`);
      found[`${path} ${first} ${last}`] = await response.text();
      expect(response.status, `${path}: ${found[`${path} ${first} ${last}`]}`).toBe(200);
    }
  }
  return found;
}

/** The rollups with days from `firstDay` to `lastDay`. */
export async function rollupsOf(objects: ObjectStore, firstDay: LocalDate, lastDay: LocalDate): Promise<string[]> {
  return (await objects.list(rollupFolder(SITE))).flatMap(({ key }) => {
    const days = daysOfRollupKey(SITE, key);
    return days && days.firstDay <= lastDay && firstDay <= days.lastDay ? [key] : [];
  });
}

/** Three days with events in files. */
export async function playDays(target: InProcessTarget, ledger: Ledger): Promise<void> {
  for (let day = 0; day < 3; day++) {
    await ledger.send(SITE, 2);
    await target.services.flush.run();
    await target.advance(DAY_MS);
    await target.services.settled();
  }
}

/**
 * Rollups are written, added up, replaced after a late event and a merge, and dropped by erasures, the last of all past days.
 * Whatever fails, it goes on. Returns whether the last erasure was confirmed.
 */
export async function playRollups(target: InProcessTarget, ledger: Ledger): Promise<boolean> {
  const make = async () => {
    await target.advance(ROLLUP_RETRY_MS_MIN);
    await target.services.settled();
    await makeRollups(target);
  };
  const onward = () => undefined;
  await make();
  await appendLate(target, 2).catch(onward);
  await target.services.flush.run();
  await make();
  await ledger.erase(SITE, dayBack(target, 1), dayBack(target, 1));
  await make();
  await ledger.send(SITE, 1);
  return ledger.erase(SITE, dayBack(target, 3), dayBack(target, 1));
}
