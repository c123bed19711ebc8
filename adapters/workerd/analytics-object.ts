/** The Durable Object: starts an instance with its first call, and passes every request and alarm to it. */
import { problemsWithRoutes } from "../../src/handlers/app.ts";
import { jsonReply, responseTo } from "../../src/handlers/reply.ts";
import { createAssets, unpackAsset, type PackedAsset, type PackedAssets } from "../../src/runtime/assets.ts";
import { logSetupCode } from "../../src/runtime/auth/setup-code.ts";
import { parseConfig } from "../../src/runtime/config/config.ts";
import { reasonOf, type Log } from "../../src/runtime/metrics/log.ts";
import { PRODUCT_NAME } from "../../src/runtime/config/names.ts";
import type { Engine } from "../../src/runtime/engine/engine.ts";
import type { EpochMs } from "../../src/storage/event.ts";
import { createConsoleLog } from "./console-log.ts";
import countryRanges from "./country-ranges.bin";
import mainModule from "./duckdb-eh.wasm";
import { createDuckdbEngine } from "./duckdb-instance.ts";
import { startInstance, type Instance } from "./instance.ts";
import { optionsIn } from "./object-options.ts";
import type { DurableObjectState, R2Bucket } from "./platform.ts";

/** Defined by the build. */
declare const TRACKER_SCRIPT: PackedAsset;
declare const DASHBOARD_ASSETS: PackedAssets;
declare const VERSION: string;

/** The object's bindings. Variables and secrets hold the options of the service. */
export interface ObjectEnvironment {
  readonly PARTITIONS: R2Bucket;
  readonly [variable: string]: unknown;
}

/** The parts that tests replace. */
export interface ObjectParts {
  readonly now: () => EpochMs;
  readonly createEngine: (memoryLimitMb: number) => Promise<Engine>;
}

const DEFAULT_PARTS: ObjectParts = {
  now: () => Date.now(),
  createEngine: (memoryLimitMb) => createDuckdbEngine({ mainModule, memoryLimitMb }),
};

/** Memory for the work of queries, in addition to cached events. */
const ENGINE_WORKING_MEMORY_MB = 32;

const CANNOT_START = "The service cannot start. Its log says why.";

export class AnalyticsObject {
  readonly #state: DurableObjectState;
  readonly #environment: ObjectEnvironment;
  readonly #parts: ObjectParts;
  #instance: Promise<Instance> | null = null;

  constructor(state: DurableObjectState, environment: ObjectEnvironment, parts: ObjectParts = DEFAULT_PARTS) {
    this.#state = state;
    this.#environment = environment;
    this.#parts = parts;
  }

  /** Rejects if an option is invalid or the storage cannot be read. The next call tries again. */
  instance(): Promise<Instance> {
    this.#instance ??= this.#start().catch((error: unknown) => {
      this.#instance = null;
      throw error;
    });
    return this.#instance;
  }

  async #start(): Promise<Instance> {
    const { config, warnings } = parseConfig(
      { environment: optionsIn(this.#environment), file: {}, platform: "workerd" },
      problemsWithRoutes,
    );
    const log = createConsoleLog(config);
    for (const warning of warnings) log.warn(warning);
    if (typeof config.geoipDb === "object") log.warn("geoip_db: there are no files on workerd; the built-in database is used");
    const instance = await startInstance({
      config,
      log,
      storage: this.#state.storage,
      bucket: this.#environment.PARTITIONS,
      createEngine: () => this.#parts.createEngine(config.engineMemoryMb + ENGINE_WORKING_MEMORY_MB),
      countryRanges: new Uint8Array(countryRanges),
      trackerScript: unpackAsset(TRACKER_SCRIPT),
      assets: createAssets(DASHBOARD_ASSETS),
      version: VERSION,
      now: this.#parts.now,
    });
    log.info(`${PRODUCT_NAME} ${VERSION} started`);
    logSetupCode(instance.services.setupCode, log);
    return instance;
  }

  async fetch(request: Request): Promise<Response> {
    let instance: Instance;
    try {
      instance = await this.instance();
    } catch (error) {
      reportFailedStart(error);
      return responseTo(request.method, jsonReply({ error: CANNOT_START }, 500));
    }
    return instance.fetch(request);
  }

  async alarm(): Promise<void> {
    await (await this.instance()).alarm();
  }
}

/** Logs with default options, because the logging options may be the invalid ones. */
function reportFailedStart(error: unknown): void {
  const log: Log = createConsoleLog({ logFormat: "text", logLevel: "info" });
  log.error(`${PRODUCT_NAME} cannot start: ${reasonOf(error)}`);
}
