/**
 * One running instance in a Durable Object: creates all parts on the object's storage and the bucket, and replaces Node's timers.
 * An idle object has none, so that the platform can evict it. While requests or exports run, a tick each second ends those that are
 * overdue. Everything else runs in an alarm: after `flush_interval_secs` if events wait, after a minute if rollups are due, else
 * hourly, and no later than the end of the salt period.
 */
import { createApp } from "../../src/handlers/app.ts";
import type { Asset, Assets } from "../../src/runtime/assets.ts";
import { createArgon2id } from "../../src/runtime/auth/argon2id.ts";
import type { Config } from "../../src/runtime/config/config.ts";
import type { Engine } from "../../src/runtime/engine/engine.ts";
import { NOWHERE, type GeoLookup } from "../../src/runtime/ingest/geo.ts";
import { SALT_RETRY_MS, UNFLUSHED_BYTES_MAX_IN_WORKERD } from "../../src/runtime/config/limits.ts";
import { installationCheckAgent } from "../../src/runtime/config/names.ts";
import { ROLLUP_CACHE_IN_WORKERD } from "../../src/runtime/config/rollup-limits.ts";
import type { Log } from "../../src/runtime/metrics/log.ts";
import { createInlineRollupCalculator } from "../../src/runtime/rollups/inline-rollup-calculator.ts";
import { createServices, type Services } from "../../src/runtime/services.ts";
import type { EpochMs } from "../../src/storage/event.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-writer.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { connectClickhouse } from "../clickhouse-connection.ts";
import { connectionOf } from "./client-connection.ts";
import { buildTimeOf, openCountryRanges } from "./country-ranges.ts";
import { IsolateEngine } from "./isolate-engine.ts";
import { createPageFetch } from "./page-fetch.ts";
import type { DurableObjectStorage, R2Bucket } from "./platform.ts";
import { createR2ObjectStore } from "./r2-object-store.ts";
import { openSqlRecordStore } from "./sql-record-store.ts";
import { openSqlSegmentLog } from "./sql-segment-log.ts";
import { createSteadyClock } from "./steady-clock.ts";
import { drainBody } from "./drain-body.ts";

/** How often running requests are checked. */
const TICK_MS = 1000;

/** The time between two alarms that make rollups. */
const ROLLUP_ALARM_MS = 60_000;

/** How often an idle object wakes for jobs that are due by the clock. */
const IDLE_ALARM_MS = 3_600_000;

export interface InstanceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly storage: DurableObjectStorage;
  readonly bucket: R2Bucket;
  /** Creates an empty engine. Called when one is first needed, and after one failed. */
  readonly createEngine: () => Promise<Engine>;
  /** The packed country database. */
  readonly countryRanges: Uint8Array;
  readonly trackerScript: Asset;
  readonly assets: Assets;
  readonly version: string;
  readonly now: () => EpochMs;
}

export interface Instance {
  readonly services: Services;
  fetch(request: Request): Promise<Response>;
  /** Runs the jobs that are due, and sets the next alarm. */
  alarm(): Promise<void>;
  /** Ends overdue requests. The tick does it about once a second; tests call it directly. */
  expireRequests(): void;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** The platform reports the place of most requests, so the database is unpacked for the first one without. */
function placesIn(packed: Uint8Array): GeoLookup {
  let lookup: GeoLookup | null = null;
  return (address) => (lookup ??= openCountryRanges(packed))(address);
}

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { config, log, storage, now } = options;
  const objects = createR2ObjectStore(options.bucket);
  const records = openSqlRecordStore(storage);
  const services = await createServices({
    config,
    secrets: createRecordSecretStore(records),
    objects,
    records,
    passwordHasher: createArgon2id(randomBytes),
    parquet: inlineParquetWriter,
    rollupCalculator: createInlineRollupCalculator(objects, ROLLUP_CACHE_IN_WORKERD),
    segmentLog: openSqlSegmentLog(storage, objects),
    engine: new IsolateEngine(options.createEngine, log),
    connectClickhouse,
    geo: config.geoipDb === "none" ? () => NOWHERE : placesIn(options.countryRanges),
    geoIsLoaded: config.geoipDb !== "none",
    geoBuiltMs: config.geoipDb === "none" ? null : buildTimeOf(options.countryRanges),
    fetchPage: createPageFetch(installationCheckAgent(options.version)),
    log,
    now,
    monotonicMs: createSteadyClock(now),
    randomBytes,
    newRequestId: () => crypto.randomUUID(),
    unflushedBytesMax: UNFLUSHED_BYTES_MAX_IN_WORKERD,
    wait,
    trackerScript: options.trackerScript,
    assets: options.assets,
    version: options.version,
  });
  const app = createApp(services);
  let runningRequests = 0;
  let ticking = false;
  let nextAlarmMs = (await storage.getAlarm()) ?? Number.POSITIVE_INFINITY;

  function tick(): void {
    // A streamed response is still being sent after `app.fetch` has resolved.
    ticking = runningRequests > 0 || app.openStreams > 0;
    if (!ticking) return;
    void wait(TICK_MS).then(() => {
      app.expireRequests();
      tick();
    });
  }

  /** Uses the platform's clock. In tests, the service has another one. */
  async function setAlarmIn(ms: number): Promise<void> {
    nextAlarmMs = Date.now() + ms;
    await storage.setAlarm(nextAlarmMs);
  }

  const flushAlarmMs = (): number => Math.min(config.flushIntervalSecs * 1000, IDLE_ALARM_MS);

  /** The generated secret must not outlive its salt period by an idle hour. */
  const saltAlarmMs = (): number => Math.max(services.visitorSalt.msUntilDue(now()), SALT_RETRY_MS);

  /** Soon again while rollups are due: an alarm makes only some of them. */
  const rollupAlarmMs = (): number => Math.max(services.rollups.msUntilDue(), ROLLUP_ALARM_MS);

  /** Sets an earlier alarm if events wait for their flush, including those that the object found in its journal when it started. */
  async function ensureFlushAlarm(): Promise<void> {
    if (services.eventStore.unflushedEvents > 0 && nextAlarmMs > Date.now() + flushAlarmMs()) await setAlarmIn(flushAlarmMs());
  }

  await ensureFlushAlarm();
  return {
    services,
    async fetch(request) {
      runningRequests++;
      if (!ticking) tick();
      try {
        const response = await app.fetch(request, connectionOf(request, config));
        await drainBody(request);
        return response;
      } finally {
        runningRequests--;
        await ensureFlushAlarm();
      }
    },
    async alarm() {
      nextAlarmMs = Number.POSITIVE_INFINITY;
      // This also reads the monotonic clock, which counts no step longer than two hours.
      app.expireRequests();
      services.tick();
      // The platform may evict an object that has no request or alarm running.
      await services.settled();
      const idleMs = services.eventStore.unflushedEvents > 0 ? flushAlarmMs() : IDLE_ALARM_MS;
      await setAlarmIn(Math.min(idleMs, saltAlarmMs(), rollupAlarmMs()));
    },
    expireRequests: () => app.expireRequests(),
  };
}
