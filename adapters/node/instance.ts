/** One running instance on Node: creates all parts, and stops them in the right order. */
import { randomBytes, randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createApp } from "../../src/handlers/app.ts";
import type { Asset, Assets } from "../../src/runtime/assets.ts";
import type { Config } from "../../src/runtime/config/config.ts";
import { UNFLUSHED_BYTES_MAX } from "../../src/runtime/config/limits.ts";
import type { Log } from "../../src/runtime/metrics/log.ts";
import type { ProcessUsage } from "../../src/runtime/host.ts";
import { createServices, type Services } from "../../src/runtime/services.ts";
import { createFileObjectStore } from "./file-object-store.ts";
import { createFileRecordStore } from "./file-record-store.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "./file-segment-log.ts";
import { openGeoDatabase } from "./geo-database.ts";
import { openDataDir } from "./data-dir.ts";
import { createFileSecretStore } from "./file-secret-store.ts";
import { startServer, type RunningServer } from "./server.ts";
import { ThreadedEngine } from "./threaded-engine.ts";
import { ThreadedPasswordHasher } from "./threaded-password-hasher.ts";
import { ThreadedParquetWriter } from "./threaded-parquet-writer.ts";
import { ThreadedRollupCalculator } from "./threaded-rollup-calculator.ts";
import type { THREADS } from "./threads.ts";

const MAINTENANCE_INTERVAL_MS = 1000;

/** With `journal_fsync = "interval"`. Together with the time the disk takes, an event is durable within a second. */
const JOURNAL_SYNC_INTERVAL_MS = 500;

export interface InstanceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly trackerScript: Asset;
  readonly assets: Assets;
  readonly version: string;
  /** The built scripts of the threads, and the engine's module. */
  readonly threads: typeof THREADS;
  /** Called when another process has taken the data folder. Anything that this process still writes is lost or does harm. */
  readonly onFolderLost: () => void;
}

export interface Instance {
  readonly origin: string;
  readonly dataFolder: string;
  readonly services: Services;
  /** Finishes the requests in flight and flushes. Events that cannot be flushed stay in the journal. */
  stop(): Promise<void>;
}

/** Ids that are unique across processes, without random bytes for each. */
function requestIds(): () => string {
  const process = randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

function processUsage(): ProcessUsage {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { residentBytes: rss, heapBytes: heapUsed, cpuSecs: (user + system) / 1e6 };
}

export async function startInstance({
  config,
  log,
  trackerScript,
  assets,
  version,
  threads,
  onFolderLost,
}: InstanceOptions): Promise<Instance> {
  const dataFolder = resolve(config.dataDir);
  const lock = await openDataDir(dataFolder, onFolderLost, (message) => log.warn(message));
  const started: (() => Promise<void>)[] = [() => lock.release()];
  const takeDown = async () => {
    for (const undo of started.reverse()) await undo();
  };
  try {
    const engine = new ThreadedEngine({ workerUrl: threads.engine, moduleUrl: threads.engineModule, log });
    started.push(() => engine.close());
    const passwordHasher = new ThreadedPasswordHasher(threads.passwords);
    started.push(() => passwordHasher.close());
    const parquet = new ThreadedParquetWriter(threads.parquet);
    started.push(() => parquet.close());
    const rollupCalculator = new ThreadedRollupCalculator(threads.rollups, dataFolder);
    started.push(() => rollupCalculator.close());
    const segmentLog = await openFileSegmentLog(join(dataFolder, JOURNAL_FOLDER), config.journalFsync);
    started.push(() => segmentLog.close());
    const geo = openGeoDatabase(config.geoipDb);
    const services = await createServices({
      config,
      secrets: createFileSecretStore(dataFolder),
      objects: createFileObjectStore(dataFolder, { isOurs: true }),
      records: createFileRecordStore(dataFolder),
      passwordHasher,
      parquet,
      rollupCalculator,
      segmentLog,
      engine,
      geo: geo.lookup,
      geoIsLoaded: geo.loaded,
      geoBuiltMs: geo.builtMs,
      log,
      now: Date.now,
      monotonicMs: () => performance.now(),
      randomBytes,
      newRequestId: requestIds(),
      unflushedBytesMax: UNFLUSHED_BYTES_MAX,
      wait: setTimeout,
      trackerScript,
      assets,
      version,
      processUsage,
    });
    const syncJournal = async () => {
      await services.eventStore.sync();
      if (services.eventStore.isUnsafe) services.flush.tick();
    };
    const syncing = config.journalFsync === "interval" ? setInterval(() => void syncJournal(), JOURNAL_SYNC_INTERVAL_MS) : undefined;
    const app = createApp(services);
    let server: RunningServer | null = null;
    const maintenance = setInterval(() => {
      app.expireRequests();
      server?.endStalled();
      services.tick();
      // On Node only: an idle Durable Object may be evicted before the first query.
      services.cacheWarmer.tick();
    }, MAINTENANCE_INTERVAL_MS);
    started.push(async () => {
      clearInterval(maintenance);
      clearInterval(syncing);
      // Before the lock is released: two processes that replace the secret would overwrite each other's file.
      await services.stop();
    });
    const listening = await startServer({ app, ...config });
    server = listening;
    started.push(() => listening.stop());
    // Only once the server listens: the engine of an instance that cannot start stops, and the extension would log an error.
    void services.behavioral.load();
    // The first dashboard waits for this thread. If it does not start, the first report says so.
    if (config.rollups) rollupCalculator.headers([]).catch(() => {});
    return { origin: listening.origin, dataFolder, services, stop: takeDown };
  } catch (error) {
    await takeDown();
    throw error;
  }
}
