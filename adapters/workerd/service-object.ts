/** The common part of both kinds of Durable Objects: they start an instance with their first call, and respond while none can be started. */
import { type Config, parseConfig } from "../../src/runtime/base/config/config.ts";
import { createLog, type Log, reasonOf } from "../../src/runtime/base/metrics/log.ts";
import { DurableObject } from "cloudflare:workers";
import { problemsWithRoutes, unstartedResponse } from "../../src/handlers/app.ts";
import { errorReply, FailureLog } from "../../src/handlers/error-reply.ts";
import type { Connection } from "../../src/handlers/pipeline.ts";
import { jsonReply } from "../../src/handlers/http.ts";
import { createAssets, unpackAsset, type PackedAsset, type PackedAssets } from "../../src/runtime/service/assets.ts";
import type { Engine } from "../../src/runtime/duckdb/engine.ts";
import { AppError } from "../../src/runtime/base/errors.ts";
import type { EpochMs } from "../../src/storage/event.ts";
import countryRanges from "./country-ranges.bin";
import mainModule from "./duckdb-eh.wasm";
import { createDuckdbEngine } from "./duckdb-instance.ts";
import type { Instance, InstanceOptions } from "./instance.ts";
import { SharedEngine } from "./shared-engine.ts";
import { optionsIn, type ObjectEnvironment } from "./objects.ts";
import type { DurableObjectState } from "./platform.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";

/** `wrangler dev` prints its lines, and `wrangler tail` shows them. */
const createConsoleLog = (config: Pick<Config, "logFormat" | "logLevel">): Log =>
  createLog({ ...config, now: Date.now, write: (level, line) => console[level](line) });

declare const TRACKER_SCRIPT: PackedAsset;
declare const DASHBOARD_ASSETS: PackedAssets;
declare const VERSION: string;

/** The parts that tests replace. */
export interface ObjectParts {
  readonly now: () => EpochMs;
  readonly createEngine: (eventsMemoryMb: number) => Promise<Engine>;
}

/** Objects may run in the same isolate, and its memory is one. */
const engines = new SharedEngine({ create: (memoryLimitMb) => createDuckdbEngine({ mainModule, memoryLimitMb }) });

const DEFAULT_PARTS: ObjectParts = { now: () => Date.now(), createEngine: (eventsMemoryMb) => engines.open(eventsMemoryMb) };

const CANNOT_START = "The service cannot start. Its log says why.";

/** The options among the bindings. Throws if one is invalid. */
export const configIn = (environment: ObjectEnvironment): ReturnType<typeof parseConfig> =>
  parseConfig({ environment: optionsIn(environment), file: {}, platform: "workerd" }, problemsWithRoutes);

export abstract class ServiceObject<I extends Instance> extends DurableObject<DurableObjectState, ObjectEnvironment> {
  readonly #parts: ObjectParts;
  #instance: Promise<I> | null = null;

  constructor(state: DurableObjectState, environment: ObjectEnvironment, parts: ObjectParts = DEFAULT_PARTS) {
    super(state, environment);
    this.#parts = parts;
  }

  protected abstract start(options: InstanceOptions): Promise<I>;

  /** Rejects if an option is invalid or the storage cannot be read. The next call tries again. */
  protected instance(): Promise<I> {
    this.#instance ??= this.#start().catch((error: unknown) => {
      this.#instance = null;
      throw error;
    });
    return this.#instance;
  }

  async #start(): Promise<I> {
    const { config, warnings } = configIn(this.env);
    const log = createConsoleLog(config);
    for (const warning of warnings) log.warn(warning);
    if (typeof config.geoipDb === "object") log.warn("geoip_db: there are no files on workerd; the built-in database is used");
    if (typeof config.asnDb === "object") log.warn("asn_db: there are no files on workerd; networks are those that Cloudflare reports");
    const instance = await this.start(this.#optionsOf(config, log));
    log.info(`${PRODUCT_NAME} ${VERSION} started`, { object: this.ctx.id.name ?? "" });
    return instance;
  }

  #optionsOf(config: Config, log: Log): InstanceOptions {
    return {
      config,
      log,
      storage: this.ctx.storage,
      bucket: this.env.PARTITIONS,
      createEngine: () => this.#parts.createEngine(config.engineMemoryMb),
      countryRanges: new Uint8Array(countryRanges),
      trackerScript: unpackAsset(TRACKER_SCRIPT),
      assets: createAssets(DASHBOARD_ASSETS),
      version: VERSION,
      now: this.#parts.now,
    };
  }

  answer(request: Request, connection: Connection): Promise<Response> {
    return this.whenStarted(request, (instance) => this.answerBy(instance, request, connection));
  }

  protected answerBy(instance: I, request: Request, connection: Connection): Promise<Response> {
    return instance.answer(request, connection);
  }

  protected async whenStarted(request: Request, respond: (instance: I) => Promise<Response>): Promise<Response> {
    let instance: I;
    try {
      instance = await this.instance();
    } catch (error) {
      return this.#refuseStart(request, error);
    }
    return respond(instance);
  }

  /** null while an option is invalid. */
  #config(): Config | null {
    try {
      return configIn(this.env).config;
    } catch {
      return null;
    }
  }

  /** An `AppError` is a start that has to wait. Logs with default options, because the logging options may be the invalid ones. */
  #refuseStart(request: Request, error: unknown): Promise<Response> {
    const log: Log = createConsoleLog({ logFormat: "text", logLevel: "info" });
    log.error(`${PRODUCT_NAME} cannot start: ${reasonOf(error)}`);
    const isWaiting = error instanceof AppError;
    const reply = isWaiting
      ? errorReply(error, crypto.randomUUID(), new FailureLog(log, () => 0))
      : jsonReply({ error: CANNOT_START }, 500);
    return unstartedResponse(request, reply, this.#config());
  }
}
