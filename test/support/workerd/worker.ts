/** The Worker of the tests: a registry and sites' objects for each target, each the product's own, with options and a clock for it. */
import "../../../adapters/workerd/globals.ts";
import { createDuckdbEngine, openDuckdb } from "../../../adapters/workerd/duckdb-instance.ts";
import mainModule from "../../../adapters/workerd/duckdb-eh.wasm";
import { Front } from "../../../adapters/workerd/front.ts";
import type { Instance } from "../../../adapters/workerd/instance.ts";
import { registryIn, siteIn, type ObjectEnvironment, type RegistryStub, type SiteStub } from "../../../adapters/workerd/objects.ts";
import type { DurableObjectNamespace, DurableObjectState, DurableObjectStub } from "../../../adapters/workerd/platform.ts";
import { RegistryObject } from "../../../adapters/workerd/registry-object.ts";
import { configIn, type ObjectParts } from "../../../adapters/workerd/service-object.ts";
import { SharedEngine } from "../../../adapters/workerd/shared-engine.ts";
import { SiteObject } from "../../../adapters/workerd/site-object.ts";
import type { Engine } from "../../../src/runtime/duckdb/engine.ts";
import { crippledEngine } from "../crippled-engine.ts";
import { CONTROL_HEADER, NO_DEPLOYMENT, type Control, type ControlCall } from "./control.ts";
import { bucketOf } from "./tenant-bucket.ts";

export { PortObject } from "./port-object.ts";

const controlOf = (request: Request): Control => JSON.parse(request.headers.get(CONTROL_HEADER) ?? "") as Control;

/** How far apart readings of the clock are while time passes. */
const CLOCK_STEP_MS = 3_600_000;

/** What tables are called that are out of reach. */
const AWAY = "_away";

/** What the Worker and the objects of a target share: on this machine, all of them run in one isolate. */
interface Shared {
  control: Control;
  /** Full names of the sites' objects that are running. */
  readonly sites: Set<string>;
  /** How often one was created. */
  starts: number;
  /** Another one after a restart of workerd, as Miniflare has it, and after each call of `deploy`. */
  deployment: string;
  /** Whether calls between the registry and the sites' objects fail. */
  isCut: boolean;
}

const targets = new Map<string, Shared>();

/** An alarm may wake an object before a request has brought its options. The platform then tries again later. */
function sharedOf(object: string): Shared {
  const shared = targets.get(object);
  if (!shared) throw new Error(`no request has come for ${object} yet`);
  return shared;
}

/** The objects of a target begin with its name. */
const targetOf = ({ id: { name = "" } }: DurableObjectState): string => name.split("/")[0] ?? "";

const within = <Stub extends DurableObjectStub>(
  namespace: DurableObjectNamespace<Stub>,
  nameOf: (name: string) => string,
): DurableObjectNamespace<Stub> => ({ idFromName: (name) => namespace.idFromName(nameOf(name)), get: (id) => namespace.get(id) });

/** Calls of objects can be cut, those of clients cannot. */
function cuttable<Stub extends DurableObjectStub>(namespace: DurableObjectNamespace<Stub>, object: string): DurableObjectNamespace<Stub> {
  const cut = new Proxy({} as Stub, { get: () => () => Promise.reject(new Error("Network connection lost.")) });
  const get = (id: ReturnType<typeof namespace.idFromName>): Stub => (sharedOf(object).isCut ? cut : namespace.get(id));
  return { idFromName: (name) => namespace.idFromName(name), get };
}

const ofObjects = (environment: ObjectEnvironment, object: string): ObjectEnvironment => ({
  ...environment,
  ANALYTICS: cuttable(environment.ANALYTICS, object),
  SITES: cuttable(environment.SITES, object),
});

function environmentOf(bindings: ObjectEnvironment, object: string): ObjectEnvironment {
  const { control, deployment } = sharedOf(object);
  const { [NO_DEPLOYMENT]: isUnnamed, ...options } = control.environment;
  const { DEPLOYMENT: _ofMiniflare, ...others } = bindings;
  return {
    ...others,
    ...options,
    ...(isUnnamed === undefined && { DEPLOYMENT: { id: deployment } }),
    ANALYTICS: within(bindings.ANALYTICS, () => object),
    SITES: within(bindings.SITES, (name) => `${object}/${name}`),
    PARTITIONS: bucketOf(bindings.PARTITIONS, control.tenant),
  };
}

/** Objects share an engine, as in the product. */
const ENGINE = new SharedEngine({ create: (memoryLimitMb) => createDuckdbEngine({ mainModule, memoryLimitMb }) });

/** An engine that cannot load the behavioral extension. */
const CRIPPLED_ENGINE = new SharedEngine({
  create: async (memoryLimitMb) => crippledEngine(await openDuckdb({ mainModule, memoryLimitMb })),
});

/** Whether queries stop at their next step, and how many have. */
const holding = { isHolding: false, held: 0 };

/** An engine whose queries can be held in the middle. */
const HELD_ENGINE = new SharedEngine({
  beatMs: 50,
  create: (memoryLimitMb) =>
    createDuckdbEngine({
      mainModule,
      memoryLimitMb,
      stepMs: 0,
      yieldToOthers: () =>
        new Promise((resolve) => {
          if (holding.isHolding) holding.held++;
          else setTimeout(resolve, 0);
        }),
    }),
});

/** The clock, the share of the engine and the commands of one object. */
class ObjectControl implements ObjectParts {
  readonly #state: DurableObjectState;
  readonly #engines: SharedEngine;
  #share: Engine | null = null;
  /** While time passes; null otherwise. */
  #passingMs: number | null = null;

  constructor(state: DurableObjectState, engines: SharedEngine) {
    this.#state = state;
    this.#engines = engines;
  }

  readonly now = (): number => this.#passingMs ?? sharedOf(targetOf(this.#state)).control.nowMs;

  readonly createEngine = async (eventsMemoryMb: number): Promise<Engine> => {
    this.#share = await this.#engines.open(eventsMemoryMb);
    return this.#share;
  };

  /** What the caller is told. */
  async run(call: ControlCall, nowMs: number, { services, expireRequests }: Instance): Promise<string> {
    if (call === "setupCode") return services.setupCode.reveal() ?? "";
    if (call === "alarms") return this.#alarm();
    if (call === "advance" || call === "jump") {
      if (call === "advance") this.#passTime(nowMs, services.monotonicMs);
      this.#passingMs = nowMs;
      expireRequests();
      services.tick();
    } else if (call === "flush") {
      if (!(await services.flush.run())) throw new Error("the flush failed");
    } else if (call === "breakStorage") this.#rename("", AWAY);
    else if (call === "mendStorage") this.#rename(AWAY, "");
    else if (call === "reset") {
      await services.flush.settled();
      await services.eventStore.close();
      await this.#share?.close();
      await this.#state.storage.deleteAlarm();
      await this.#state.storage.deleteAll();
    } else this.#state.abort("the test ends this object");
    return "done";
  }

  async #alarm(): Promise<string> {
    const atMs = await this.#state.storage.getAlarm();
    return atMs === null ? "null" : String(atMs - Date.now());
  }

  /** All objects of a target have passed the time. */
  arrive(): void {
    this.#passingMs = null;
  }

  /** The product's monotonic clock does not count a step as long as a jump. */
  #passTime(untilMs: number, monotonicMs: () => number): void {
    for (let ms = this.now(); ms < untilMs;) {
      ms = Math.min(ms + CLOCK_STEP_MS, untilMs);
      this.#passingMs = ms;
      monotonicMs();
    }
  }

  /** Statements about a table that is not there fail in the database itself. */
  #rename(from: string, to: string): void {
    for (const table of ["journal_piece", "record"]) this.#state.storage.sql.exec(`ALTER TABLE ${table}${from} RENAME TO ${table}${to}`);
  }
}

interface TestStub {
  control(call: ControlCall, nowMs: number): Promise<string>;
  arrive(): Promise<void>;
}

export class TestObject extends RegistryObject {
  readonly #control: ObjectControl;

  constructor(state: DurableObjectState, bindings: ObjectEnvironment, engines = ENGINE) {
    const control = new ObjectControl(state, engines);
    super(state, ofObjects(environmentOf(bindings, targetOf(state)), targetOf(state)), control);
    this.#control = control;
  }

  async control(call: ControlCall, nowMs: number): Promise<string> {
    return this.#control.run(call, nowMs, await this.instance());
  }

  /** Takes as long as over a network, so that other requests of the object come meanwhile. */
  override async noteRunning(...args: Parameters<RegistryStub["noteRunning"]>): ReturnType<RegistryStub["noteRunning"]> {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return super.noteRunning(...args);
  }

  arrive(): void {
    this.#control.arrive();
  }
}

export class TestSite extends SiteObject {
  readonly #control: ObjectControl;

  constructor(state: DurableObjectState, bindings: ObjectEnvironment, engines = ENGINE) {
    const control = new ObjectControl(state, engines);
    super(state, ofObjects(environmentOf(bindings, targetOf(state)), targetOf(state)), control);
    this.#control = control;
    const shared = sharedOf(targetOf(state));
    shared.sites.add(state.id.name ?? "");
    shared.starts++;
  }

  protected override get siteName(): string {
    return super.siteName.split("/")[1] ?? "";
  }

  async control(call: ControlCall, nowMs: number): Promise<string> {
    if (call === "report") {
      await this.alarm();
      return "done";
    }
    return this.#control.run(call, nowMs, await this.instance());
  }

  arrive(): void {
    this.#control.arrive();
  }
}

/** Objects whose engine cannot load the behavioral extension. */
export class CrippledObject extends TestObject {
  constructor(state: DurableObjectState, bindings: ObjectEnvironment) {
    super(state, bindings, CRIPPLED_ENGINE);
  }
}

export class CrippledSite extends TestSite {
  constructor(state: DurableObjectState, bindings: ObjectEnvironment) {
    super(state, bindings, CRIPPLED_ENGINE);
  }
}

/** Objects with queries that can be held in the middle. */
export class HeldObject extends TestObject {
  constructor(state: DurableObjectState, bindings: ObjectEnvironment) {
    super(state, bindings, HELD_ENGINE);
  }
}

export class HeldSite extends TestSite {
  constructor(state: DurableObjectState, bindings: ObjectEnvironment) {
    super(state, bindings, HELD_ENGINE);
  }
}

/** The registry first. */
function stubsOf(bindings: ObjectEnvironment, object: string): TestStub[] {
  const stub = (namespace: DurableObjectNamespace<RegistryStub> | DurableObjectNamespace<SiteStub>, name: string) =>
    namespace.get(namespace.idFromName(name)) as unknown as TestStub;
  return [stub(bindings.ANALYTICS, object), ...[...sharedOf(object).sites].map((name) => stub(bindings.SITES, name))];
}

async function command(bindings: ObjectEnvironment, control: Control, call: ControlCall): Promise<string> {
  const shared = sharedOf(control.object);
  const stubs = stubsOf(bindings, control.object);
  const [registry] = stubs;
  if (call === "setupCode") return registry?.control(call, control.nowMs) ?? "";
  if (call === "starts") return String(shared.starts);
  if (call === "held") return String(holding.held);
  if (call === "hold" || call === "letGo") {
    holding.isHolding = call === "hold";
    return "done";
  }
  if (call === "cut" || call === "join") {
    shared.isCut = call === "cut";
    return "done";
  }
  if (call === "report" || call === "evict") {
    const sites = stubs.slice(1);
    await Promise.allSettled(sites.map((stub) => stub.control(call === "report" ? "report" : "abort", control.nowMs)));
    return "done";
  }
  if (call === "alarms") return `[${(await Promise.all(stubs.map((stub) => stub.control(call, control.nowMs)))).join()}]`;
  if (call === "abort" || call === "deploy") {
    if (call === "deploy") shared.deployment = crypto.randomUUID();
    await Promise.allSettled(stubs.map((stub) => stub.control("abort", control.nowMs)));
    return "done";
  }
  // A site's object that starts for its reset asks the registry.
  const inOrder = call === "reset" ? stubs.toReversed() : stubs;
  for (const stub of inOrder) await stub.control(call, control.nowMs);
  shared.control = control;
  for (const stub of stubs) await stub.arrive();
  if (call === "reset") await command(bindings, control, "abort");
  return "done";
}

async function answer(request: Request, bindings: ObjectEnvironment, { object }: Control): Promise<Response> {
  const environment = environmentOf(bindings, object);
  const front = frontFor(environment);
  return front?.fetch(request) ?? registryIn(environment).fetch(request);
}

function frontFor(environment: ObjectEnvironment): Front | null {
  try {
    const { config } = configIn(environment);
    return new Front({ config, registry: () => registryIn(environment), site: (siteId) => siteIn(environment, siteId) });
  } catch {
    return null;
  }
}

export default {
  async fetch(request: Request, bindings: ObjectEnvironment): Promise<Response> {
    const control = controlOf(request);
    const { object, call, isForPorts } = control;
    if (isForPorts) return bindings.ANALYTICS.get(bindings.ANALYTICS.idFromName(object)).fetch(request);
    if (call === undefined || !targets.has(object)) {
      const known = targets.get(object) ?? { sites: new Set(), starts: 0, isCut: false, deployment: crypto.randomUUID() };
      targets.set(object, Object.assign(known, { control }));
    }
    if (call === undefined) return answer(request, bindings, control);
    try {
      return new Response(await command(bindings, control, call));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
