/** The Durable Object of one site: its journal, engine and caches, and all work on its files. */
import type { Connection } from "../../src/handlers/pipeline.ts";
import { DEMO_SITE, isSiteId } from "../../src/runtime/base/config/names.ts";
import { readJsonRecord, type RecordStore, replaceJsonRecord } from "../../src/storage/record-store.ts";
import type { PassedEvent } from "../../src/runtime/ingest/accept-event.ts";
import type { AdmittedSite } from "../../src/runtime/ingest/admission.ts";
import { addActivity, gaugesOf, takeActivity } from "../../src/runtime/base/metrics/metrics.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import type { Imports } from "../../src/runtime/imports/imports.ts";
import type { SiteRecord } from "../../src/runtime/sites/site-record.ts";
import type { EpochMs, LocalDate, SiteId } from "../../src/storage/event.ts";
import { Alarm, Upkeep } from "./alarms.ts";
import { connectionOf } from "./front.ts";
import { startInstance, type Instance, type InstanceOptions } from "./instance.ts";
import {
  refusalOr,
  registryIn,
  SETTINGS_KEPT_MS,
  unlessRefused,
  unreachable,
  type Refusal,
  type SiteReport,
  type SiteStub,
  createRegistryClient,
} from "./objects.ts";
import { openSqlRecordStore } from "./stores.ts";
import { ServiceObject } from "./service-object.ts";

const NAME_RECORD = "site.json";

/** Delay until the object reports its counts. The platform may evict it after ten idle seconds, together with its memory. */
const REPORT_ALARM_MS = 5000;

/** Delay until the object asks for the settings again. Its reports bring them earlier, unless they fail. */
const SETTINGS_ASKED_MS = SETTINGS_KEPT_MS / 2;

const UPKEEP_ALARM_MS = 60_000;

interface SiteInstance extends Instance {
  readonly siteId: SiteId;
  readonly upkeep: Upkeep;
  readonly alarm: Alarm;
}

export class SiteObject extends ServiceObject<SiteInstance> {
  /** True if the registry knows, since the last report, that another one will come. */
  #isNoted = false;
  /** Wall-clock time of the last successful request for the site's settings. */
  #settingsAtMs: EpochMs = Number.NEGATIVE_INFINITY;
  /** Set while `#note` runs. Other requests wait for it: their settings may be outdated. */
  #noting: Promise<void> | null = null;

  /** The object's name, which tests extend. */
  protected get siteName(): string {
    return this.ctx.id.name ?? "";
  }

  /** An object that an alarm wakes does not always know its name, so it is recorded. */
  async #siteIdIn(records: RecordStore): Promise<SiteId> {
    const recorded = await readJsonRecord(records, NAME_RECORD);
    const name = recorded === null ? this.siteName : String(recorded["siteId"]);
    if (!isSiteId(name)) throw new Error("the object was not found by the name of a site");
    if (recorded === null) await replaceJsonRecord(records, NAME_RECORD, { siteId: name });
    return name;
  }

  protected async start(options: InstanceOptions): Promise<SiteInstance> {
    const siteId = await this.#siteIdIn(openSqlRecordStore(options.storage));
    const askedAtMs = options.now();
    const entry = unlessRefused(await registryIn(this.env).enter(siteId));
    this.#isNoted = true;
    this.#settingsAtMs = askedAtMs;
    const started: { instance?: SiteInstance } = {};
    const registry = createRegistryClient(
      () => registryIn(this.env),
      siteId,
      async (record) => started.instance && this.#apply(started.instance, record),
    );
    const instance = await startInstance(options, { oneSite: { siteId, registry, ...entry } });
    instance.services.sites.apply(siteId, entry.record);
    const upkeep = await Upkeep.open({ ...instance, siteId });
    started.instance = { ...instance, siteId, upkeep, alarm: await Alarm.open(options.storage) };
    return started.instance;
  }

  protected override async answerBy(instance: SiteInstance, request: Request, connection: Connection): Promise<Response> {
    // Requests continue it, and the daily alarm: an alarm a minute would cost money for a demo that nobody looks at.
    if (instance.siteId === DEMO_SITE) instance.services.demoSite.tick();
    const response = await instance.answer(request, { ...connection, prepare: () => this.#note(instance) });
    await this.#ensureAlarm();
    return response;
  }

  fetch(request: Request): Promise<Response> {
    return this.whenStarted(request, (instance) => this.answerBy(instance, request, connectionOf(request, instance.services.config)));
  }

  /**
   * Runs before a response, so that later metrics include it, and before the work, because settings are pushed only to objects that have
   * reported that they are running.
   */
  async #note(instance: SiteInstance): Promise<void> {
    if (this.#noting === null && this.#isNoted && this.#knowsSettings(instance, SETTINGS_ASKED_MS)) return;
    this.#noting ??= this.#ask(instance).finally(() => (this.#noting = null));
    await this.#noting;
  }

  async #ask(instance: SiteInstance): Promise<void> {
    const askedAtMs = instance.services.now();
    try {
      this.#isNoted = true;
      await this.#apply(instance, await registryIn(this.env).noteRunning(instance.siteId));
      this.#settingsAtMs = askedAtMs;
    } catch (error) {
      this.#isNoted = false;
      // A change may be in effect by now: events would get the dates of another calendar.
      if (!this.#knowsSettings(instance, SETTINGS_KEPT_MS)) throw unreachable(error);
    }
  }

  /** Measured by a clock that was not set back meanwhile. */
  #knowsSettings({ services }: SiteInstance, keptMs: number): boolean {
    const ageMs = services.now() - this.#settingsAtMs;
    return ageMs >= 0 && ageMs < keptMs;
  }

  /** A change may make work due earlier: by another calendar, or another retention. */
  async #apply({ services, siteId, upkeep }: SiteInstance, record: SiteRecord | null): Promise<void> {
    if (services.sites.apply(siteId, record)) await upkeep.noteChange();
  }

  async setRecord(record: SiteRecord | null): Promise<void> {
    await this.#apply(await this.instance(), record);
    await this.#ensureAlarm();
  }

  async #ensureAlarm(): Promise<void> {
    const { services, upkeep, alarm } = await this.instance();
    const { config, eventStore } = services;
    const flushMs = eventStore.unflushedEvents > 0 ? config.flushIntervalSecs * 1000 : Number.POSITIVE_INFINITY;
    const importMs = services.imports?.msUntilDue() ?? Number.POSITIVE_INFINITY;
    const countsMs = services.droppedEvents?.msUntilDue() ?? Number.POSITIVE_INFINITY;
    const reportMs = this.#isNoted ? REPORT_ALARM_MS : Number.POSITIVE_INFINITY;
    await alarm.ensureWithin(Math.min(flushMs, importMs, countsMs, reportMs, Math.max(upkeep.msUntilDue(), UPKEEP_ALARM_MS)));
  }

  async alarm(): Promise<void> {
    const { services, upkeep, alarm, expireRequests } = await this.instance();
    alarm.noteFired();
    // This also reads the monotonic clock, which counts no step longer than two hours.
    expireRequests();
    const isUpkeepDue = upkeep.isDue;
    if (isUpkeepDue) services.tick();
    else {
      services.flush.tick();
      services.imports?.job.tick();
      services.droppedEvents?.tick();
    }
    // The platform may evict an object that has no request or alarm running.
    await services.settled();
    if (isUpkeepDue) await upkeep.noteRun();
    await this.#report();
    await this.#ensureAlarm();
  }

  /** Runs after every alarm, whose work counts. Counts that do not arrive are kept for the next report. */
  async #report(): Promise<void> {
    this.#isNoted = false;
    const instance = await this.instance();
    const { services, siteId } = instance;
    const { activity } = await this.takeReport();
    const askedAtMs = services.now();
    try {
      await this.#apply(instance, await registryIn(this.env).report(siteId, activity));
      this.#settingsAtMs = askedAtMs;
    } catch (error) {
      addActivity(services, activity);
      this.#isNoted = true;
      services.log.warn("counts could not be reported to the registry", { reason: reasonOf(error) });
    }
  }

  async takeReport(): Promise<SiteReport> {
    const { services } = await this.instance();
    return { activity: takeActivity(services), gauges: gaugesOf(services) };
  }

  /** The registry has read it from a request for several sites, or of another product's tag. */
  async accept({ input, elapsedMs, ...sender }: PassedEvent): ReturnType<SiteStub["accept"]> {
    const instance = await this.instance();
    const { services } = instance;
    const accepted = await refusalOr(async () => {
      await this.#note(instance);
      const beganMs = services.monotonicMs() - elapsedMs;
      return { outcome: await services.acceptEvent({ ...sender, beganMs, readInput: () => input }) };
    });
    await this.#ensureAlarm();
    return accepted;
  }

  async hasEvents(): Promise<boolean> {
    const { services } = await this.instance();
    const hasEvents = await (services.knownSites as AdmittedSite).hasEvents();
    await this.#ensureAlarm();
    return hasEvents;
  }

  async erase(...days: Parameters<SiteStub["erase"]>): ReturnType<SiteStub["erase"]> {
    const { services, siteId } = await this.instance();
    const erased = await refusalOr(() => services.erasure.erase(siteId, ...days));
    await this.#ensureAlarm();
    return erased;
  }

  async removeItems(): ReturnType<SiteStub["removeItems"]> {
    const { services, siteId } = await this.instance();
    const { config } = services;
    return refusalOr(async () => ({
      hadItems: await services.removeItems(siteId, AbortSignal.timeout(config.requestTimeoutSecs * 1000)),
    }));
  }

  async imports(): ReturnType<SiteStub["imports"]> {
    return (await this.instance()).services.imports?.all ?? [];
  }

  async beginImport(...[number, asked]: Parameters<SiteStub["beginImport"]>): ReturnType<SiteStub["beginImport"]> {
    return this.#importing(async (imports, signal) => {
      await imports.begin(asked, signal, number);
      return imports.details(number);
    });
  }

  async removeImports(): ReturnType<SiteStub["removeImports"]> {
    const { siteId } = await this.instance();
    return this.#importing(async (imports, signal) => ({ removed: await imports.removeSite(siteId, signal) }));
  }

  async #importing<T>(call: (imports: Imports, signal: AbortSignal) => Promise<T>): Promise<T | Refusal> {
    const { imports, config } = (await this.instance()).services;
    const outcome = await refusalOr(async () => {
      if (imports === null) throw new Error("a site's object has imports");
      return call(imports, AbortSignal.timeout(config.requestTimeoutSecs * 1000));
    });
    await this.#ensureAlarm();
    return outcome;
  }

  async days(): Promise<readonly LocalDate[]> {
    const { services, siteId } = await this.instance();
    return services.daysOf(siteId);
  }

  async overview(...[request, record]: Parameters<SiteStub["overview"]>): ReturnType<SiteStub["overview"]> {
    const instance = await this.instance();
    const { overview, config } = instance.services;
    await this.#apply(instance, record);
    const numbers = await refusalOr(() => overview.numbersOf(request, AbortSignal.timeout(config.requestTimeoutSecs * 1000)));
    await this.#ensureAlarm();
    return numbers;
  }
}
