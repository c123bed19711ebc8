/** Calls the app as a function, with in-memory storage and a clock that the test controls. */
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { connectClickhouse } from "../../adapters/clickhouse-connection.ts";
import { openGeoDatabase, openNetworkDatabase } from "../../adapters/node/geo-database.ts";
import { openCrawlerAddresses } from "../../adapters/node/crawler-address-lists.ts";
import { packAsset, packScript } from "../../adapters/pack-asset.mjs";
import { createApp } from "../../src/handlers/app.ts";
import type { App } from "../../src/handlers/pipeline.ts";
import { createAssets, unpackAsset } from "../../src/runtime/service/assets.ts";
import { createArgon2id, type Argon2idCosts, type PasswordHasher } from "../../src/runtime/access/password-hasher.ts";
import { parseConfig } from "../../src/runtime/base/config/config.ts";
import type { ConnectClickhouse } from "../../src/runtime/clickhouse/connection.ts";
import type { Engine } from "../../src/runtime/duckdb/engine.ts";
import { UNFLUSHED_BYTES_MAX } from "../../src/runtime/base/config/limits.ts";
import { ROLLUP_CACHE } from "../../src/runtime/base/config/report-limits.ts";
import { DASHBOARD_PAGE, OPT_OUT_SCRIPT } from "../../src/runtime/base/config/names.ts";
import { PageFetchError, type PageFetch } from "../../src/runtime/installation/page-fetch.ts";
import { createInlineRollupCalculator, type RollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { exportMemoryOf, openDuckdbQueries } from "../../src/runtime/engine/duckdb-queries.ts";
import { PlannedEngine } from "../../src/runtime/engine/planned-engine.ts";
import { RestartingEngine } from "../../src/runtime/engine/restarting-engine.ts";
import { OnDemandEngine } from "../../src/runtime/duckdb/on-demand-engine.ts";
import type { Plan } from "../../src/runtime/query/plan.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import { createServices, type Services } from "../../src/runtime/service/services.ts";
import type { ArchiveMaker } from "../../src/runtime/exports/site-exports.ts";
import type { ExportMemory } from "../../src/runtime/reports/exports/export-memory.ts";
import { createMemoryObjectStore } from "./memory-object-store.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { createMemoryRecordStore } from "./memory-record-store.ts";
import { createMemorySegmentLog } from "./memory-segment-log.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import { createRecordSecretStore, type SecretStore } from "../../src/storage/secret-store.ts";
import type { SegmentLog } from "../../src/storage/segment.ts";
import { COUNTRY_DATABASE_URL } from "./built.ts";
import { createRecordingLog, type RecordingLog } from "./recording-log.ts";
import { createEngineShare } from "./shared-engine.ts";
import { TARGET_DEFAULTS, type Ability, type AbleTarget, type Environment, type MakeTarget, type TargetRequest } from "./target.ts";

/** The initial time of the clock. */
export const START_MS = Date.parse("2026-03-15T12:00:00.000Z");

/** The default origin of requests. */
export const IN_PROCESS_ORIGIN = "http://127.0.0.1:8000";

export type InProcessTarget = AbleTarget<Exclude<Ability, "readsFiles">> & {
  readonly services: Services;
  readonly log: RecordingLog;
  readonly exportMemory: ExportMemory;
  /** Runs a plan of one site, which need not be a report's. */
  run<Result>(plan: Plan<Result>): Promise<Result>;
  /** Sets the clock and runs all jobs that are due. */
  setClockAhead(ms: number): void;
};

/** Dependencies that a test replaces. */
export interface InProcessParts {
  readonly engine?: Engine;
  /** Opens the database of each life of the engine, in place of `engine`. */
  readonly openDatabase?: () => Promise<Engine>;
  readonly segmentLog?: SegmentLog;
  readonly pingLog?: SegmentLog;
  readonly objects?: ObjectStore;
  readonly records?: RecordStore;
  readonly secrets?: SecretStore;
  readonly passwordHasher?: PasswordHasher;
  readonly rollupCalculator?: RollupCalculator;
  /** By default `ROLLUP_WEIGHT_BYTES_MIN`, which is more than most tests store. */
  readonly rollupWeightBytesMin?: number;
  /** Replaces the option, whose minimum is larger than the data of any test. */
  readonly engineMemoryMb?: number;
  readonly unflushedBytesMax?: number;
  readonly connectClickhouse?: ConnectClickhouse;
  /** By default every page is unresolvable. */
  readonly fetchPage?: PageFetch;
  readonly archiveMaker?: ArchiveMaker;
  readonly freeBytes?: () => Promise<number>;
  /** The initial time of the clock; by default `START_MS`. */
  readonly startMs?: number;
}

/** A target on empty stores. */
export type MakeInProcessTarget = (environment?: Environment, parts?: InProcessParts) => Promise<InProcessTarget>;

/** The suites do not test the cost of a login. */
const CHEAP: Argon2idCosts = { memoryKib: 8, iterations: 1, parallelism: 1 };

/** A page and one file. The real assets need a build. */
const trackerScript = unpackAsset(packScript(`/* ${"The tracker. ".repeat(50)}*/ const path = "/api/event";`));

const assets = createAssets({
  [DASHBOARD_PAGE]: packAsset(
    "text/html; charset=utf-8",
    `<!doctype html><head><title>${"A page. ".repeat(50)}</title><script type="module" src="./assets/page-1.js"></script>` +
      '<link rel="modulepreload" href="./assets/page-1.js" /></head>',
  ),
  [OPT_OUT_SCRIPT]: packScript(`/* ${"A choice. ".repeat(50)}*/`),
  "page-1.js": packAsset("text/javascript; charset=utf-8", "/* a script */".repeat(50)),
});

const builtinPlaces = openGeoDatabase("builtin", COUNTRY_DATABASE_URL);

/** Adds the headers `Content-Length` and `Host`, as a client does over the network. */
function requestOf(path: string, init: TargetRequest): Request {
  const { body, host } = init;
  const request = new Request(new URL(path, host === undefined ? IN_PROCESS_ORIGIN : new URL(`http://${host}`).origin), init);
  if (host !== undefined) request.headers.set("host", host);
  if (request.headers.has("content-length")) return request;
  if (typeof body === "string") request.headers.set("content-length", String(new TextEncoder().encode(body).length));
  if (body instanceof Uint8Array) request.headers.set("content-length", String(body.length));
  return request;
}

export async function createInProcessTarget(environment: Environment = {}, parts: InProcessParts = {}): Promise<InProcessTarget> {
  const { config: parsed } = parseConfig({ environment: { ...TARGET_DEFAULTS, ...environment }, file: {}, platform: "node" });
  const config = { ...parsed, engineMemoryMb: parts.engineMemoryMb ?? parsed.engineMemoryMb };
  const objects = parts.objects ?? createMemoryObjectStore();
  const records = parts.records ?? createMemoryRecordStore();
  const secrets = parts.secrets ?? createRecordSecretStore(createMemoryRecordStore());
  const segmentLog = parts.segmentLog ?? createMemorySegmentLog();
  const pingLog = parts.pingLog ?? createMemorySegmentLog();
  const places = config.geoipDb === "builtin" ? builtinPlaces : openGeoDatabase(config.geoipDb, COUNTRY_DATABASE_URL);
  const log = createRecordingLog();
  const calculator = parts.rollupCalculator ?? createInlineRollupCalculator(objects, ROLLUP_CACHE);
  const exportMemory = exportMemoryOf(config);
  const openDatabase = parts.openDatabase ?? (async (): Promise<Engine> => parts.engine ?? createEngineShare());
  let nowMs = parts.startMs ?? START_MS;
  let monotonicMs = 0;
  let requests = 0;
  let services: Services;
  let life: PlannedEngine | null = null;
  let app: App;

  async function start(): Promise<void> {
    monotonicMs = 0;
    services = await createServices({
      config,
      secrets,
      objects,
      records,
      passwordHasher: parts.passwordHasher ?? createArgon2id(randomBytes, CHEAP),
      parquet: inlineParquetWriter,
      rollupCalculator: calculator,
      ...(parts.rollupWeightBytesMin !== undefined && { rollupWeightBytesMin: parts.rollupWeightBytesMin }),
      segmentLog,
      pingLog,
      openEngine: (given) => {
        const all = { ...given, objects, calculator, exportMemory, wait: setTimeout, now: () => nowMs, log };
        const open = async () => (life = await openDuckdbQueries({ ...all, engine: new OnDemandEngine(openDatabase), others: null }));
        return new RestartingEngine({ ...all, start: open });
      },
      connectClickhouse: parts.connectClickhouse ?? connectClickhouse,
      ...places,
      networkOf: openNetworkDatabase(config.asnDb),
      networksAreKnown: config.asnDb !== "none",
      verifiesCrawler: openCrawlerAddresses(config.crawlerAddresses),
      fetchPage: parts.fetchPage ?? (() => Promise.reject(new PageFetchError("unresolvable"))),
      ...(parts.archiveMaker && { archiveMaker: parts.archiveMaker }),
      ...(parts.freeBytes && { freeBytes: parts.freeBytes }),
      log,
      now: () => nowMs,
      monotonicMs: () => monotonicMs,
      randomBytes,
      newRequestId: () => `request-${++requests}`,
      trackerScript,
      assets,
      version: "0.0.0-test",
      processUsage: () => ({ residentBytes: 1, heapBytes: 1, cpuSecs: 1 }),
      unflushedBytesMax: parts.unflushedBytesMax ?? UNFLUSHED_BYTES_MAX,
      wait: setTimeout,
    });
    app = createApp(services);
  }

  async function stop(): Promise<void> {
    await services.imports?.job.stop();
    await services.siteMoves?.job.stop();
    await services.siteExports?.stop();
    await services.rollups.stop();
    await services.engagement?.stop();
    await services.flush.run();
    await services.crawls?.settled();
    await services.droppedEvents?.stop(new AbortController().signal);
    await services.eventStore.close();
    await services.pings?.close();
    await services.queryEngine.close();
  }

  await start();
  return {
    name: "in-process",
    answersEarly: true,
    comesFromAnywhere: true,
    ...(config.engine === "duckdb" && { readsFiles: true }),
    log,
    exportMemory,
    async run(plan) {
      const { signal } = new AbortController();
      await services.queryEngine.health(signal);
      const engine = services.queryEngine instanceof PlannedEngine ? services.queryEngine : life;
      if (!engine) throw new Error("the engine has not started");
      const siteId = plan.steps[0]?.siteRange.siteId;
      return engine.runner.run(plan, { isGuest: false, signal }, siteId ? services.sites.calendarOf(siteId) : utcCalendar);
    },
    get services() {
      return services;
    },
    fetch: (path, init = {}) => app.fetch(requestOf(path, init), { socketAddress: init.from ?? "127.0.0.1" }),
    setupCode: () => Promise.resolve(services.setupCode.reveal()),
    nowMs: () => nowMs,
    async advance(ms) {
      nowMs += ms;
      monotonicMs += Math.max(0, ms);
      app.expireRequests();
      services.tick();
    },
    setClockAhead(ms) {
      nowMs += ms;
      services.tick();
    },
    async flush() {
      const flushed = await services.flush.run();
      if (!flushed) throw new Error("the flush failed");
    },
    async restart() {
      await stop();
      await start();
    },
    async crash() {
      // Neither may write into the next process's stores.
      await services.imports?.job.stop();
      await services.siteMoves?.job.stop();
      await services.rollups.stop();
      await services.crawls?.settled();
      await services.droppedEvents?.settled();
      await services.queryEngine.close();
      await start();
    },
    close: stop,
  };
}

/** In-process targets for the suites of one file, each with services of its own. */
export function inProcessTargets(): MakeTarget {
  return Object.assign((environment?: Environment) => createInProcessTarget(environment), {
    lacks: {},
    skipped: [],
    needing: [],
  });
}
