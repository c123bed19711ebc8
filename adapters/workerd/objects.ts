/**
 * The two kinds of Durable Objects, their names, and the calls between them and the Worker. Requests of clients arrive through `fetch`
 * only; other methods are called by our own objects, so their arguments are trusted.
 */
import type { Connection } from "../../src/handlers/pipeline.ts";
import type { Credentials, Standing } from "../../src/runtime/access/principal.ts";
import type { ImportRecord } from "../../src/runtime/imports/import-record.ts";
import type { Asked, ImportDetails } from "../../src/runtime/imports/imports.ts";
import type { Erased } from "../../src/runtime/upkeep/erasure.ts";
import { AppError, storageUnavailable } from "../../src/runtime/base/errors.ts";
import type { Acceptance, PassedEvent } from "../../src/runtime/ingest/accept-event.ts";
import type { OutcomeCount } from "../../src/runtime/ingest/event-outcomes.ts";
import type { PeriodSecret } from "../../src/runtime/ingest/visitor-salt.ts";
import type { RateVerdict } from "../../src/runtime/base/rate-limit.ts";
import type { Activity, Gauges } from "../../src/runtime/base/metrics/metrics.ts";
import { type CalendarRecord } from "../../src/storage/calendar.ts";
import type { SiteRecord } from "../../src/runtime/sites/site-record.ts";
import type { RemoteRequest } from "../../src/runtime/reports/overview/overview.ts";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import type { DurableObjectNamespace, DurableObjectStub, R2Bucket } from "./platform.ts";
import type { SiteRegistry } from "../../src/runtime/service/host.ts";
import { ENVIRONMENT_PREFIX } from "../../src/shared/names.ts";

/** A variable of a Worker may also be a number, a boolean or a list. */
export function optionsIn(bindings: Readonly<Record<string, unknown>>): Record<string, string> {
  const options = Object.entries(bindings).filter(([name]) => name.startsWith(ENVIRONMENT_PREFIX));
  return Object.fromEntries(options.map(([name, value]) => [name, typeof value === "string" ? value : textOf(value)]));
}

/** Other values become JSON, so that the error message of the option shows them. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(",") : JSON.stringify(value));

/** The object that holds what is of no single site. Until each site had an object of its own, it served all of them. */
const REGISTRY_NAME = "main";

/** A site's object may use the site's settings for this long without asking the registry. */
export const SETTINGS_KEPT_MS = 60_000;

export interface SiteReport {
  readonly activity: Activity<OutcomeCount>;
  readonly gauges: Gauges;
}

/** An `AppError` on its way: of a thrown error, the platform passes only the message. */
export type Refusal = Pick<AppError, "failure" | "message">;

interface AnsweringStub extends DurableObjectStub {
  /** Responds to a request of which the caller knows more than its headers say. */
  answer(request: Request, connection: Connection): Promise<Response>;
}

export interface RegistryStub extends AnsweringStub {
  /** A site's object starts: resolves when no other object has events of the site that are in no file. */
  enter(siteId: SiteId): Promise<Entry | Refusal>;
  /** The site's object is running, and will report later. Resolves with the site's current settings. */
  noteRunning(siteId: SiteId): Promise<SiteRecord | null>;
  /** Takes the counts of a site's object since its last report, before it may end. Resolves with the site's current settings. */
  report(siteId: SiteId, activity: SiteReport["activity"]): Promise<SiteRecord | null>;
  standingOf(credentials: Credentials): Promise<Standing>;
  /** Registers the site. Resolves with what is set for it now: without events, a time zone counts at once. */
  admit(siteId: SiteId, isBounded: boolean): Promise<Refusal | { readonly record: SiteRecord | null }>;
  beginDeletion(siteId: SiteId): Promise<void>;
  endDeletion(siteId: SiteId): Promise<void>;
  periodSecret(timeZone: string): Promise<PeriodSecret>;
  siteOfImport(number: number): Promise<SiteId | null>;
  peekAddress(key: string): Promise<RateVerdict>;
  takeAddress(key: string): Promise<RateVerdict>;
}

export interface Entry {
  /** Greater than the number of every segment that another object has written of the site. */
  readonly segmentFloor: number;
  readonly defaultCalendar: CalendarRecord;
  readonly record: SiteRecord | null;
}

export interface SiteStub extends AnsweringStub {
  /** Called when the site's settings have changed. */
  setRecord(record: SiteRecord | null): Promise<void>;
  accept(event: PassedEvent): Promise<{ readonly outcome: Acceptance } | Refusal>;
  hasEvents(): Promise<boolean>;
  erase(firstDay: LocalDate, lastDay: LocalDate): Promise<Erased | Refusal>;
  removeItems(): Promise<{ readonly hadItems: boolean } | Refusal>;
  imports(): Promise<readonly ImportRecord[]>;
  beginImport(number: number, asked: Asked): Promise<ImportDetails | Refusal>;
  removeImports(): Promise<{ readonly removed: number } | Refusal>;
  days(): Promise<readonly LocalDate[]>;
  /** The numbers behind the site's metrics in an overview, computed with these settings. */
  overview(request: RemoteRequest, record: SiteRecord | null): Promise<readonly Float64Array[] | Refusal>;
  /** Returns the counts, and resets them to zero. */
  takeReport(): Promise<SiteReport>;
}

export interface ObjectEnvironment {
  readonly ANALYTICS: DurableObjectNamespace<RegistryStub>;
  readonly SITES: DurableObjectNamespace<SiteStub>;
  readonly PARTITIONS: R2Bucket;
  /** Identifies the deployment. Absent in configurations of earlier versions. */
  readonly DEPLOYMENT?: { readonly id: string };
  readonly [variable: string]: unknown;
}

export const registryIn = ({ ANALYTICS }: Pick<ObjectEnvironment, "ANALYTICS">): RegistryStub =>
  ANALYTICS.get(ANALYTICS.idFromName(REGISTRY_NAME));

/** The object's name is the site id. It never changes: the object has events of the site that are in no file yet. */
export const siteIn = ({ SITES }: Pick<ObjectEnvironment, "SITES">, siteId: SiteId): SiteStub => SITES.get(SITES.idFromName(siteId));

export async function refusalOr<T>(call: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { failure: error.failure, message: error.message };
  }
}

export function unlessRefused<T extends object>(result: T | Refusal): T {
  if ("failure" in result) throw new AppError(result.failure, result.message);
  return result;
}

/** The platform ends objects with each deployment: a request that needs one then gets a 503, and may be repeated. */
export const unreachable = (cause: unknown): AppError =>
  storageUnavailable("A part of the service cannot be reached at the moment. Try again later.", cause);

/** The result of a call of another object. Rejects as unavailable if the object does not answer. */
export async function reached<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw unreachable(error);
  }
}

/**
 * `registry` gives a stub for each call: one that has failed cannot be used again. `onRecord` is called with what is set for the site
 * before its first event gets a date.
 */
export function createRegistryClient(
  registry: () => RegistryStub,
  siteId: SiteId,
  onRecord: (record: SiteRecord | null) => Promise<void>,
): SiteRegistry {
  async function admit(isBounded: boolean): Promise<void> {
    const { record } = unlessRefused(await reached(registry().admit(siteId, isBounded)));
    await onRecord(record);
  }
  return {
    standingOf: (credentials) => reached(registry().standingOf(credentials)),
    admit: () => admit(true),
    announce: () => admit(false),
    beginDeletion: () => registry().beginDeletion(siteId),
    endDeletion: () => registry().endDeletion(siteId),
    periodSecret: (timeZone) => registry().periodSecret(timeZone),
    addressRateLimit: {
      peek: (key) => reached(registry().peekAddress(key)),
      take: (key) => reached(registry().takeAddress(key)),
    },
  };
}
