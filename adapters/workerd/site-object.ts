/** The Durable Object of one site: its journal, engine and caches, and all work on its files. */
import type { Connection } from "../../src/handlers/pipeline.ts";
import { isSiteId } from "../../src/runtime/config/site-id.ts";
import { readJsonRecord, replaceJsonRecord } from "../../src/runtime/auth/json-record.ts";
import type { AdmittedSite } from "../../src/runtime/ingest/admitted-site.ts";
import { addActivity, takeActivity } from "../../src/runtime/metrics/activity.ts";
import { gaugesOf } from "../../src/runtime/metrics/gauges.ts";
import { reasonOf } from "../../src/runtime/metrics/log.ts";
import type { SiteId, UtcDay } from "../../src/storage/event.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import { Alarm } from "./alarm.ts";
import { connectionOf } from "./client-connection.ts";
import { startInstance, type Instance, type InstanceOptions } from "./instance.ts";
import { registryIn, unlessRefused, type SiteReport } from "./objects.ts";
import { createRegistryClient } from "./registry-client.ts";
import { openSqlRecordStore } from "./sql-record-store.ts";
import { ServiceObject } from "./service-object.ts";
import { Upkeep } from "./upkeep.ts";

const NAME_RECORD = "site.json";

/** Until the object reports what it has counted. The platform may evict it after ten idle seconds, with what is in memory. */
const REPORT_ALARM_MS = 5000;

/** The time between two alarms of unfinished work on files. */
const UPKEEP_ALARM_MS = 60_000;

interface SiteInstance extends Instance {
  readonly siteId: SiteId;
  readonly upkeep: Upkeep;
  readonly alarm: Alarm;
}

export class SiteObject extends ServiceObject<SiteInstance> {
  /** Since the last report, the registry knows that there will be another. */
  #isNoted = false;

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
    const { segmentFloor } = unlessRefused(await registryIn(this.env).enter(siteId));
    this.#isNoted = true;
    const registry = createRegistryClient(() => registryIn(this.env), siteId);
    const instance = await startInstance(options, { oneSite: { siteId, registry, segmentFloor } });
    const upkeep = await Upkeep.open({ ...instance, siteId });
    return { ...instance, siteId, upkeep, alarm: await Alarm.open(options.storage) };
  }

  protected override async answerBy(instance: SiteInstance, request: Request, connection: Connection): Promise<Response> {
    const noted = this.#note(instance);
    const response = await instance.answer(request, connection);
    await noted;
    await this.#ensureAlarm();
    return response;
  }

  /** For requests about statistics. */
  fetch(request: Request): Promise<Response> {
    return this.whenStarted(request, (instance) => this.answerBy(instance, request, connectionOf(request, instance.services.config)));
  }

  /** Before a response, so that figures that are asked for after it include it. */
  async #note({ siteId }: SiteInstance): Promise<void> {
    if (this.#isNoted) return;
    this.#isNoted = true;
    await registryIn(this.env)
      .noteRunning(siteId)
      .catch(() => (this.#isNoted = false));
  }

  async #ensureAlarm(): Promise<void> {
    const { services, upkeep, alarm } = await this.instance();
    const { config, eventStore } = services;
    const flushMs = eventStore.unflushedEvents > 0 ? config.flushIntervalSecs * 1000 : Number.POSITIVE_INFINITY;
    const reportMs = this.#isNoted ? REPORT_ALARM_MS : Number.POSITIVE_INFINITY;
    await alarm.ensureWithin(Math.min(flushMs, reportMs, Math.max(upkeep.msUntilDue(), UPKEEP_ALARM_MS)));
  }

  async alarm(): Promise<void> {
    const { services, upkeep, alarm, expireRequests } = await this.instance();
    alarm.noteFired();
    // This also reads the monotonic clock, which counts no step longer than two hours.
    expireRequests();
    const isUpkeepDue = upkeep.isDue;
    if (isUpkeepDue) services.tick();
    else services.flush.tick();
    // The platform may evict an object that has no request or alarm running.
    await services.settled();
    if (isUpkeepDue) await upkeep.noteRun();
    await this.#report();
    await this.#ensureAlarm();
  }

  /** After every alarm, whose work is counted, too. Counts that do not arrive are kept for the next report. */
  async #report(): Promise<void> {
    this.#isNoted = false;
    const { services, siteId } = await this.instance();
    const { activity } = await this.takeReport();
    try {
      await registryIn(this.env).report(siteId, activity);
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

  async hasEvents(): Promise<boolean> {
    const { services } = await this.instance();
    const hasEvents = await (services.knownSites as AdmittedSite).hasEvents();
    await this.#ensureAlarm();
    return hasEvents;
  }

  async days(): Promise<readonly UtcDay[]> {
    const { services, siteId } = await this.instance();
    return services.daysOf(siteId);
  }
}
