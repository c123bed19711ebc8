/** The Worker of the tests: objects by the name that a request bears, each the product's own, with options and a clock for it. */
import "../../../adapters/workerd/precompiled-modules.ts";
import { AnalyticsObject, type ObjectEnvironment } from "../../../adapters/workerd/analytics-object.ts";
import { createDuckdbEngine } from "../../../adapters/workerd/duckdb-instance.ts";
import mainModule from "../../../adapters/workerd/duckdb-eh.wasm";
import type { DurableObjectNamespace, DurableObjectState } from "../../../adapters/workerd/platform.ts";
import type { Engine } from "../../../src/runtime/engine/engine.ts";
import { shareOf } from "../engine-share.ts";
import { TAKEN_NAME } from "../taken-name.ts";
import { CONTROL_HEADER, type Control } from "./control.ts";
import { bucketOf } from "./tenant-bucket.ts";

export { PortObject } from "./port-object.ts";

const controlOf = (request: Request): Control => JSON.parse(request.headers.get(CONTROL_HEADER) ?? "") as Control;

/** How far apart readings of the clock are while time passes: as far as alarms of an idle object. */
const CLOCK_STEP_MS = 3_600_000;

/** What tables are called that are out of reach. */
const AWAY = "_away";

export class TestObject {
  readonly #state: DurableObjectState;
  readonly #bindings: ObjectEnvironment;
  #object: AnalyticsObject | null = null;
  #engine: Promise<Engine> | null = null;
  #share: Engine | null = null;
  #nowMs = 0;

  constructor(state: DurableObjectState, bindings: ObjectEnvironment) {
    this.#state = state;
    this.#bindings = bindings;
  }

  async fetch(request: Request): Promise<Response> {
    const control = controlOf(request);
    if (control.call !== "advance" || this.#object === null) this.#nowMs = control.nowMs;
    if (control.call === undefined) return this.#objectFor(control).fetch(request);
    try {
      return new Response(await this.#do(control));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  }

  #objectFor({ tenant, environment }: Control): AnalyticsObject {
    const bindings = { ...this.#bindings, ...environment, PARTITIONS: bucketOf(this.#bindings.PARTITIONS, tenant) };
    this.#object ??= new AnalyticsObject(this.#state, bindings, { now: () => this.#nowMs, createEngine: (mb) => this.#createShare(mb) });
    return this.#object;
  }

  /** An engine outlives the Durable Object, because starting one takes long. */
  async #createShare(memoryLimitMb: number): Promise<Engine> {
    this.#engine ??= this.createEngine(memoryLimitMb);
    this.#share = shareOf(await this.#engine);
    return this.#share;
  }

  protected createEngine(memoryLimitMb: number): Promise<Engine> {
    return createDuckdbEngine({ mainModule, memoryLimitMb });
  }

  /** What the caller is told. */
  async #do(control: Control): Promise<string> {
    const object = this.#objectFor(control);
    const { services, expireRequests } = await object.instance();
    if (control.call === "setupCode") return services.setupCode.reveal() ?? "";
    if (control.call === "advance" || control.call === "jump") {
      this.#passTime(control.nowMs, services.monotonicMs);
      expireRequests();
      services.tick();
    } else if (control.call === "flush") {
      if (!(await services.flush.run())) throw new Error("the flush failed");
    } else if (control.call === "breakStorage") this.#rename("", AWAY);
    else if (control.call === "mendStorage") this.#rename(AWAY, "");
    else if (control.call === "reset") {
      await services.flush.settled();
      await services.eventStore.close();
      await this.#share?.close();
      this.#object = null;
      this.#share = null;
      await this.#state.storage.deleteAlarm();
      await this.#state.storage.deleteAll();
    } else this.#state.abort("the test ends this object");
    return "done";
  }

  /** The product's monotonic clock does not count a step as long as a jump. */
  #passTime(untilMs: number, monotonicMs: () => number): void {
    while (this.#nowMs < untilMs) {
      this.#nowMs = Math.min(this.#nowMs + CLOCK_STEP_MS, untilMs);
      monotonicMs();
    }
    this.#nowMs = untilMs;
  }

  /** Statements about a table that is not there fail in the database itself. */
  #rename(from: string, to: string): void {
    for (const table of ["journal_piece", "record"]) this.#state.storage.sql.exec(`ALTER TABLE ${table}${from} RENAME TO ${table}${to}`);
  }

  /** An object that wakes for its alarm does not have its options yet. */
  async alarm(): Promise<void> {
    await this.#object?.alarm();
  }
}

/** An object whose engine cannot load the behavioral extension. */
export class CrippledObject extends TestObject {
  protected override async createEngine(memoryLimitMb: number): Promise<Engine> {
    const engine = await super.createEngine(memoryLimitMb);
    await engine.loadExtension(TAKEN_NAME);
    return engine;
  }
}

export default {
  fetch(request: Request, { ANALYTICS }: { readonly ANALYTICS: DurableObjectNamespace }): Promise<Response> {
    return ANALYTICS.get(ANALYTICS.idFromName(controlOf(request).object)).fetch(request);
  },
};
