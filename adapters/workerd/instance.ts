/**
 * One running instance in a Durable Object: creates all parts on the object's storage and the bucket, and replaces Node's timers.
 * An idle object has none, so that the platform can evict it. While requests or exports run, a tick each second ends those that are
 * overdue. Everything else runs in alarms, which each kind of object sets for what is due to it.
 */
import { VERIFIES_NONE } from "../../src/runtime/bots/crawler-addresses.ts";
import { createApp } from "../../src/handlers/app.ts";
import type { Connection } from "../../src/handlers/pipeline.ts";
import type { Asset, Assets } from "../../src/runtime/service/assets.ts";
import { createArgon2id } from "../../src/runtime/access/password-hasher.ts";
import type { Config } from "../../src/runtime/base/config/config.ts";
import type { Engine } from "../../src/runtime/duckdb/engine.ts";
import type { Host } from "../../src/runtime/service/host.ts";
import { type GeoLookup, NOWHERE } from "../../src/runtime/ingest/geo.ts";
import {
  IMPORT_CHECKPOINT_EVENTS_IN_WORKERD,
  IMPORT_DAY_GROUPS_IN_WORKERD,
  IMPORT_RUN_MS_IN_WORKERD,
  IMPORT_UPLOAD_BYTES_MAX_IN_WORKERD,
  UNFLUSHED_BYTES_MAX_IN_WORKERD,
} from "../../src/runtime/base/config/limits.ts";
import { installationCheckAgent } from "../../src/runtime/base/config/names.ts";
import { ROLLUP_CACHE_IN_WORKERD, ROLLUP_EVENT_BYTES_MAX_IN_WORKERD } from "../../src/runtime/base/config/report-limits.ts";
import type { Log } from "../../src/runtime/base/metrics/log.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createLocalEngine, exportMemoryOf } from "../../src/runtime/engine/duckdb-queries.ts";
import { createServices, type Services } from "../../src/runtime/service/services.ts";
import type { EpochMs } from "../../src/storage/event.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { connectClickhouse } from "../clickhouse-connection.ts";
import type { SegmentLog } from "../../src/storage/segment.ts";
import { buildTimeOf, openCountryRanges } from "./country-ranges.ts";
import { drainBody } from "./front.ts";
import { createPageFetch } from "./page-fetch.ts";
import type { DurableObjectStorage, R2Bucket } from "./platform.ts";
import { createR2ObjectStore, openSqlRecordStore, openSqlSegmentLog } from "./stores.ts";

/** Longer than the pause between two alarms. A longer step counts as a changed clock, and is ignored. */
const STEP_MS_MAX = 2 * 3_600_000;

/**
 * A monotonic clock made of the small steps of a wall clock: workerd has no other, and a wall clock may be set. Returns milliseconds, never
 * more than have passed. Call it at least once per `STEP_MS_MAX`.
 */
export function createSteadyClock(now: () => number): () => number {
  let lastMs = now();
  let passedMs = 0;
  return () => {
    const nowMs = now();
    const stepMs = nowMs - lastMs;
    lastMs = nowMs;
    if (stepMs > 0 && stepMs <= STEP_MS_MAX) passedMs += stepMs;
    return passedMs;
  };
}

const TICK_MS = 1000;

export interface InstanceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly storage: DurableObjectStorage;
  readonly bucket: R2Bucket;
  /** Creates an empty engine. Called when one is first needed, and after one failed. */
  readonly createEngine: () => Promise<Engine>;
  readonly countryRanges: Uint8Array;
  readonly trackerScript: Asset;
  readonly assets: Assets;
  readonly version: string;
  readonly now: () => EpochMs;
}

type Role = Pick<Host, "oneSite"> | Pick<Host, "siteInstances" | "keepEntries">;

export interface Instance {
  readonly services: Services;
  readonly records: RecordStore;
  readonly segmentLog: SegmentLog;
  /** Responds to every request and never rejects. */
  answer(request: Request, connection: Connection): Promise<Response>;
  /** Ends overdue requests. The tick does it about once a second; tests call it directly. */
  expireRequests(): void;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** Shared by the bytes of the database: unpacked it takes megabytes, and objects may share an isolate. */
const lookups = new WeakMap<ArrayBufferLike, GeoLookup>();

/** The platform reports the place of most requests, so the database is unpacked for the first one without. */
function placesOf({ config, countryRanges }: InstanceOptions): Pick<Host, "geo" | "geoIsLoaded" | "geoBuiltMs"> {
  if (config.geoipDb === "none") return { geo: () => NOWHERE, geoIsLoaded: false, geoBuiltMs: null };
  const geo: GeoLookup = (address) => {
    let lookup = lookups.get(countryRanges.buffer);
    if (!lookup) lookups.set(countryRanges.buffer, (lookup = openCountryRanges(countryRanges)));
    return lookup(address);
  };
  return { geo, geoIsLoaded: true, geoBuiltMs: buildTimeOf(countryRanges) };
}

function hostOf(options: InstanceOptions, records: RecordStore): Host {
  const { config, log, storage, now, version, trackerScript, assets } = options;
  const objects = createR2ObjectStore(options.bucket);
  const calculator = createInlineRollupCalculator(objects, {
    ...ROLLUP_CACHE_IN_WORKERD,
    eventBytesMax: ROLLUP_EVENT_BYTES_MAX_IN_WORKERD,
    yieldToOthers: () => wait(0),
  });
  return {
    config,
    secrets: createRecordSecretStore(records),
    objects,
    records,
    passwordHasher: createArgon2id(randomBytes),
    parquet: inlineParquetWriter,
    rollupCalculator: calculator,
    segmentLog: openSqlSegmentLog(storage, objects),
    openEngine: (parts) =>
      createLocalEngine(
        { ...parts, objects, calculator, exportMemory: exportMemoryOf(config), wait, now: Date.now, log },
        options.createEngine,
      ),
    connectClickhouse,
    ...placesOf(options),
    networkOf: null,
    networksAreKnown: config.trustProxy === 0,
    verifiesCrawler: VERIFIES_NONE,
    fetchPage: createPageFetch(installationCheckAgent(version)),
    log,
    now,
    monotonicMs: createSteadyClock(now),
    randomBytes,
    newRequestId: () => crypto.randomUUID(),
    unflushedBytesMax: UNFLUSHED_BYTES_MAX_IN_WORKERD,
    importPace: {
      sliceMs: 0,
      runMs: IMPORT_RUN_MS_IN_WORKERD,
      checkpointEvents: IMPORT_CHECKPOINT_EVENTS_IN_WORKERD,
      checkpointGroups: IMPORT_DAY_GROUPS_IN_WORKERD,
      uploadBytesMax: IMPORT_UPLOAD_BYTES_MAX_IN_WORKERD,
    },
    wait,
    trackerScript,
    assets,
    version,
  };
}

export async function startInstance(options: InstanceOptions, role: Role): Promise<Instance> {
  const records = openSqlRecordStore(options.storage);
  const host = hostOf(options, records);
  const services = await createServices({ ...host, ...role });
  const app = createApp(services);
  let runningRequests = 0;
  let ticking = false;

  function tick(): void {
    // A streamed response is still being sent after `app.fetch` has resolved.
    ticking = runningRequests > 0 || app.openStreams > 0;
    if (!ticking) return;
    void wait(TICK_MS).then(() => {
      app.expireRequests();
      tick();
    });
  }

  return {
    services,
    records,
    segmentLog: host.segmentLog,
    async answer(request, connection) {
      runningRequests++;
      if (!ticking) tick();
      try {
        const response = await app.fetch(request, connection);
        await drainBody(request);
        return response;
      } finally {
        runningRequests--;
      }
    },
    expireRequests: () => app.expireRequests(),
  };
}
