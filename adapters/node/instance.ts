/** One running instance on Node: creates its parts, connects them, and stops them in order. */
import { setTimeout } from "node:timers/promises";
import type { Log } from "../../src/runtime/base/metrics/log.ts";
import { createServices, type Services } from "../../src/runtime/service/services.ts";
import type { FolderLock } from "./data-dir/folder-lock.ts";
import { InstanceThreads } from "./threads/instance-threads.ts";
import { type RunningServer, startServer } from "./http/server.ts";
import { statfs } from "node:fs/promises";
import { randomBytes, randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { createApp } from "../../src/handlers/app.ts";
import type { App } from "../../src/handlers/pipeline.ts";
import type { Asset, Assets } from "../../src/runtime/service/assets.ts";
import type { Config } from "../../src/runtime/base/config/config.ts";
import { CLICKHOUSE_EVENT_MS, CLICKHOUSE_FLUSH_CHECK_MS } from "../../src/runtime/base/config/clickhouse-limits.ts";
import { ENGINE_THREADS_MAX, UNFLUSHED_BYTES_MAX, STOP_FLUSH_MS, STOP_WRITES_MS } from "../../src/runtime/base/config/limits.ts";
import { installationCheckAgent } from "../../src/runtime/base/config/names.ts";
import type { ProcessUsage } from "../../src/runtime/service/host.ts";
import { connectClickhouse } from "../clickhouse-connection.ts";
import { createFileObjectStore, createFileRecordStore, createFileSecretStore } from "./files/file-stores.ts";
import { JOURNAL_FOLDER, openFileSegmentLog, PINGS_FOLDER } from "./files/file-segment-log.ts";
import { openCrawlerAddresses } from "./crawler-address-lists.ts";
import { openGeoDatabase, openNetworkDatabase } from "./geo-database.ts";
import { openDataDir } from "./data-dir/data-dir.ts";
import { createPageFetch } from "./http/page-fetch.ts";
import { COUNTRY_DATABASE, PROGRAM, type Threads } from "./built-files.ts";
import { createArchiveMaker, exportsBy } from "./exports/archive-maker.ts";

interface RunningParts {
  readonly server: RunningServer;
  readonly services: Services;
  readonly threads: InstanceThreads;
  readonly lock: FolderLock;
  readonly stopTimers: () => void;
  readonly log: Log;
}

async function endRequests({ server, threads, stopTimers }: RunningParts): Promise<void> {
  await server.stop();
  stopTimers();
  // Nobody waits for their results any more, and a job that waits for one ends.
  await threads.closeAllButEncoder();
}

/** The lock is released last: the next process may change the folder from then on. */
async function endWrites(parts: RunningParts): Promise<void> {
  const { services, threads, lock } = parts;
  const late = AbortSignal.timeout(STOP_FLUSH_MS);
  // Also ends the encoding of a file: that of many events takes seconds.
  late.addEventListener("abort", () => void threads.close());
  await services.stop(endRequests(parts), late);
  await threads.close();
  await lock.release();
}

/**
 * Stops within `STOP_MS_MAX`, which its phases share. If a file is still being written then, by a slow disk, the lock is not released: the exit
 * of the process releases it, and the data is as after a kill.
 */
async function shutDown(parts: RunningParts): Promise<void> {
  const tooLate = setTimeout(STOP_WRITES_MS, "tooLate", { ref: false });
  const outcome = await Promise.race([endWrites(parts), tooLate]);
  if (outcome === "tooLate") parts.log.warn("stopped before all file operations had ended; no accepted event is lost");
}

const MAINTENANCE_INTERVAL_MS = 1000;

/** Used with `journal_fsync = "interval"`. Including the time of the disk, an event is durable within a second. */
const JOURNAL_SYNC_INTERVAL_MS = 500;

const engineThreadsOf = ({ engineThreads }: Config): number =>
  engineThreads ?? Math.min(ENGINE_THREADS_MAX, Math.max(1, availableParallelism() - 1));

interface InstanceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly trackerScript: Asset;
  readonly assets: Assets;
  readonly version: string;
  readonly threads: Threads;
  /** Called when another process has taken the data folder. Anything that this process still writes is lost or does harm. */
  readonly onFolderLost: () => void;
}

export interface Instance {
  readonly origin: string;
  readonly dataFolder: string;
  readonly services: Services;
  /** Finishes the requests in flight and flushes, within `STOP_MS_MAX`. Events that are not flushed by then stay in the journal. */
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

async function openServices(options: InstanceOptions, dataFolder: string, threads: InstanceThreads): Promise<Services> {
  const { config, log, trackerScript, assets, version } = options;
  const { openEngine, passwordHasher, parquet, rollupCalculator } = threads;
  const segmentLog = await openFileSegmentLog(join(dataFolder, JOURNAL_FOLDER), config.journalFsync);
  return createServices({
    config,
    secrets: createFileSecretStore(dataFolder),
    objects: createFileObjectStore(dataFolder, { isOurs: true }),
    records: createFileRecordStore(dataFolder),
    passwordHasher,
    parquet,
    rollupCalculator,
    segmentLog,
    pingLog: await openFileSegmentLog(join(dataFolder, PINGS_FOLDER), config.journalFsync),
    openEngine,
    connectClickhouse,
    clickhouseEventMs: CLICKHOUSE_EVENT_MS,
    ...openGeoDatabase(config.geoipDb, COUNTRY_DATABASE),
    networkOf: openNetworkDatabase(config.asnDb),
    networksAreKnown: config.asnDb !== "none",
    verifiesCrawler: openCrawlerAddresses(config.crawlerAddresses),
    fetchPage: createPageFetch({ userAgent: installationCheckAgent(version) }),
    log,
    now: Date.now,
    monotonicMs: () => performance.now(),
    randomBytes,
    newRequestId: requestIds(),
    unflushedBytesMax: UNFLUSHED_BYTES_MAX,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(dataFolder);
      return bavail * bsize;
    },
    archiveMaker: await createArchiveMaker(dataFolder, exportsBy(PROGRAM, dataFolder, config)),
    wait: setTimeout,
    trackerScript,
    assets,
    version,
    processUsage,
  });
}

/** Runs work on the data of a stopped instance, and stops in order. No job is driven by time. */
export async function withServices<T>(options: InstanceOptions, work: (services: Services) => Promise<T>): Promise<T> {
  const { config, log, onFolderLost } = options;
  const dataFolder = resolve(config.dataDir);
  const lock = await openDataDir(dataFolder, onFolderLost, (message) => log.warn(message));
  const threads = new InstanceThreads(options.threads, dataFolder, engineThreadsOf(config), log);
  try {
    const services = await openServices(options, dataFolder, threads);
    try {
      return await work(services);
    } finally {
      await services.stop(Promise.resolve(), AbortSignal.timeout(STOP_FLUSH_MS));
    }
  } finally {
    await threads.close();
    await lock.release();
  }
}

/** Drives all that depends on time. Returns a function that ends it. */
function startTimers(services: Services, app: App, server: RunningServer): () => void {
  const { config, eventStore, flush, pings } = services;
  const syncJournal = async () => {
    await eventStore.sync();
    await pings?.sync();
    if (eventStore.isUnsafe) flush.tick();
  };
  const maintain = () => {
    app.expireRequests();
    server.endStalled();
    services.tick();
  };
  const timers = [setInterval(maintain, MAINTENANCE_INTERVAL_MS)];
  if (config.journalFsync === "interval") timers.push(setInterval(() => void syncJournal(), JOURNAL_SYNC_INTERVAL_MS));
  if (config.engine === "clickhouse") timers.push(setInterval(() => flush.tick(), CLICKHOUSE_FLUSH_CHECK_MS));
  return () => timers.forEach(clearInterval);
}

/** Starts the engine before the first report needs it. Without events it may never be needed, and takes no memory. */
async function startEngine({ eventStore, queryEngine }: Services): Promise<void> {
  if ((await eventStore.sites()).size > 0) await queryEngine.health(new AbortController().signal);
}

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { config, log, onFolderLost } = options;
  const dataFolder = resolve(config.dataDir);
  const lock = await openDataDir(dataFolder, onFolderLost, (message) => log.warn(message));
  const threads = new InstanceThreads(options.threads, dataFolder, engineThreadsOf(config), log);
  try {
    const services = await openServices(options, dataFolder, threads);
    const app = createApp(services);
    const server = await startServer({ app, ...config }).catch(async (error: unknown) => {
      // Before the lock is released: two processes that replace the secret would overwrite each other's file.
      await services.stop(Promise.resolve(), AbortSignal.timeout(STOP_FLUSH_MS));
      throw error;
    });
    const stopTimers = startTimers(services, app, server);
    // Only once the server listens: the engine of an instance that cannot start stops, and the extension would log an error. If the
    // engine does not start, the first report says so.
    startEngine(services).catch(() => {});
    return { origin: server.origin, dataFolder, services, stop: () => shutDown({ server, services, threads, lock, stopTimers, log }) };
  } catch (error) {
    await threads.close();
    await lock.release();
    throw error;
  }
}
