/** Warns at the start of a geo database that is too old: networks change hands, so more and more visitors get a wrong country. */
import { DAY_MS, utcDateOf, type EpochMs } from "../../storage/event.ts";
import type { Log } from "../base/metrics/log.ts";

/** Half a year: releases bring a new database far more often. */
const AGE_DAYS_MAX = 180;

interface Start {
  /** null without a database. */
  readonly geoBuiltMs: EpochMs | null;
  readonly now: () => EpochMs;
  readonly log: Pick<Log, "warn">;
}

export function warnOfOldGeoDatabase({ geoBuiltMs, now, log }: Start): void {
  if (geoBuiltMs === null) return;
  const days = Math.floor((now() - geoBuiltMs) / DAY_MS);
  if (days <= AGE_DAYS_MAX) return;
  const remedy = 'upgrade, or set geoip_db to a newer one (docs/operations.md, "Geography")';
  log.warn(`the geo database is ${days} days old, so some visitors get a wrong country: ${remedy}`, { built: utcDateOf(geoBuiltMs) });
}
