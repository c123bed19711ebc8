/**
 * The Durable Object that holds what is of no single site: password, keys, sessions, the list of sites, the secrets of visitor ids and
 * the dashboard. It once served all sites: events of that time that are still in its journal become files before a site's object starts.
 */
import { logSetupCode } from "../../src/runtime/access/setup-code.ts";
import type { Credentials, Standing } from "../../src/runtime/access/principal.ts";
import { SALT_RETRY_MS } from "../../src/runtime/base/config/limits.ts";
import { storageUnavailable } from "../../src/runtime/base/errors.ts";
import { KnownSites } from "../../src/runtime/ingest/admission.ts";
import { parsePeriodSecret, type PeriodSecret, secretNameOf } from "../../src/runtime/ingest/visitor-salt.ts";
import type { RateVerdict } from "../../src/runtime/base/rate-limit.ts";
import { addActivity } from "../../src/runtime/base/metrics/metrics.ts";
import type { SiteRecord } from "../../src/runtime/sites/site-record.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { Alarm } from "./alarms.ts";
import { connectionOf, Front } from "./front.ts";
import { startInstance, type Instance, type InstanceOptions } from "./instance.ts";
import { refusalOr, siteIn, type Entry, type Refusal, type RegistryStub, type SiteReport } from "./objects.ts";
import { OverviewCache } from "./overview-cache.ts";
import { ServiceObject } from "./service-object.ts";
import { SiteDirectory } from "./site-directory.ts";
import { openSqlKeptEntries } from "./stores.ts";

/** The time between two alarms that start objects of sites whose files are older than the objects. */
const INTRODUCTION_MS = 1000;

const INTRODUCED_MAX = 20;

/**
 * The time between two alarms while failed logins count: the platform ends an object that is idle for ten seconds or more, and addresses
 * are in memory only.
 */
const LOCKOUT_ALARM_MS = 4000;

const NO_DEPLOYMENT =
  "the binding DEPLOYMENT is missing: sessions end and the setup code changes whenever the platform ends an idle object. " +
  'Add [version_metadata] with binding = "DEPLOYMENT" to wrangler.toml';

interface RegistryInstance extends Instance {
  readonly directory: SiteDirectory;
  readonly front: Front;
  readonly alarm: Alarm;
}

export class RegistryObject extends ServiceObject<RegistryInstance> {
  protected async start(options: InstanceOptions): Promise<RegistryInstance> {
    const { config, log, storage } = options;
    const site = (siteId: SiteId) => siteIn(this.env, siteId);
    const directory = new SiteDirectory({ storage, site });
    const deployment = this.env.DEPLOYMENT?.id || null;
    if (deployment === null) log.warn(NO_DEPLOYMENT);
    const keepEntries = openSqlKeptEntries(storage, deployment);
    const instance = await startInstance(options, { siteInstances: directory, keepEntries });
    const { knownSites, sites, setupCode, monotonicMs } = instance.services;
    const overviewCache = new OverviewCache({ ttlMs: config.cacheTtlSecs * 1000, monotonicMs });
    if (knownSites instanceof KnownSites) directory.attach({ knownSites, recordOf: (siteId) => sites.recordOf(siteId), overviewCache });
    logSetupCode(setupCode, log);
    const { answer } = instance;
    const front = new Front({
      config,
      site,
      registry: () => ({
        answer,
        fetch: (request) => answer(request, connectionOf(request, config)),
        siteOfImport: async (number) => directory.imports.siteOf(number),
      }),
    });
    const registry = { ...instance, directory, front, alarm: await Alarm.open(storage) };
    await ensureAlarm(registry);
    return registry;
  }

  /** A Worker of an earlier version passes events here, too. */
  fetch(request: Request): Promise<Response> {
    return this.whenStarted(request, async (instance) => {
      const response = await instance.front.fetch(request);
      await ensureAlarm(instance);
      return response;
    });
  }

  async alarm(): Promise<void> {
    const instance = await this.instance();
    const { services, directory, alarm, expireRequests } = instance;
    alarm.noteFired();
    // This also reads the monotonic clock.
    expireRequests();
    services.tick();
    await services.settled();
    await services.knownSites.untilListed();
    await directory.introduce(INTRODUCED_MAX);
    await ensureAlarm(instance);
  }

  async enter(siteId: SiteId): Promise<Entry | Refusal> {
    const { services, segmentLog, directory } = await this.instance();
    return refusalOr(async () => {
      const { eventStore, flush, sites } = services;
      const isEmptied = (eventStore.unflushedEvents === 0 && eventStore.sealedSegments.length === 0) || (await flush.run());
      if (!isEmptied) throw storageUnavailable("The service cannot store events at the moment. Try again later.", undefined);
      directory.noteStart(siteId);
      const segmentFloor = ((await segmentLog.list()).at(-1) ?? 0) + 1;
      return { segmentFloor, defaultCalendar: sites.defaultCalendar, record: sites.recordOf(siteId) };
    });
  }

  async noteRunning(siteId: SiteId): Promise<SiteRecord | null> {
    const { services, directory } = await this.instance();
    directory.noteRunning(siteId);
    return services.sites.recordOf(siteId);
  }

  async report(siteId: SiteId, activity: SiteReport["activity"]): Promise<SiteRecord | null> {
    const { services, directory } = await this.instance();
    addActivity(services, activity);
    directory.noteReport(siteId, activity);
    return services.sites.recordOf(siteId);
  }

  async standingOf(credentials: Credentials): Promise<Standing> {
    return (await this.instance()).services.standingOf(credentials);
  }

  async admit(siteId: SiteId, isBounded: boolean): ReturnType<RegistryStub["admit"]> {
    const { services, directory } = await this.instance();
    return refusalOr(async () => {
      await directory.admit(siteId, isBounded);
      return { record: services.sites.recordOf(siteId) };
    });
  }

  async beginDeletion(siteId: SiteId): Promise<void> {
    await (await this.instance()).directory.beginDeletion(siteId);
  }

  async endDeletion(siteId: SiteId): Promise<void> {
    (await this.instance()).directory.endDeletion(siteId);
  }

  /** An object of an earlier version names no zone. */
  async periodSecret(timeZone = "UTC"): Promise<PeriodSecret> {
    const instance = await this.instance();
    const { visitorSalts, now } = instance.services;
    if (!visitorSalts.isReadyAt(timeZone, now())) await visitorSalts.renew(timeZone);
    const secret = createRecordSecretStore(instance.records).secret(secretNameOf(timeZone));
    await ensureAlarm(instance);
    return parsePeriodSecret((await secret.read()) ?? "", secret.location);
  }

  async siteOfImport(number: number): Promise<SiteId | null> {
    return (await this.instance()).directory.imports.siteOf(number);
  }

  async peekAddress(key: string): Promise<RateVerdict> {
    const { addressRateLimit, monotonicMs } = (await this.instance()).services;
    return addressRateLimit.peek(key, monotonicMs());
  }

  async takeAddress(key: string): Promise<RateVerdict> {
    const { addressRateLimit, monotonicMs } = (await this.instance()).services;
    return addressRateLimit.take(key, monotonicMs());
  }
}

/** A generated secret must not outlive its salt period. Without one, nothing is due. */
function ensureAlarm({ services, directory, alarm }: RegistryInstance): Promise<void> {
  const { config, eventStore, visitorSalts, now, countsFailures } = services;
  const flushMs = eventStore.unflushedEvents > 0 ? config.flushIntervalSecs * 1000 : Number.POSITIVE_INFINITY;
  const saltMs = Math.max(visitorSalts.msUntilDue(now()), SALT_RETRY_MS);
  const introductionMs = directory.isIntroducing ? INTRODUCTION_MS : Number.POSITIVE_INFINITY;
  const lockoutMs = countsFailures() ? LOCKOUT_ALARM_MS : Number.POSITIVE_INFINITY;
  return alarm.ensureWithin(Math.min(flushMs, saltMs, introductionMs, lockoutMs));
}
