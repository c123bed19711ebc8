/** The site registry port over calls of the registry object. */
import { storageUnavailable, type AppError } from "../../src/runtime/errors.ts";
import type { SiteRegistry } from "../../src/runtime/services/host.ts";
import type { SiteRecord } from "../../src/runtime/sites/site-record.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { unlessRefused, type RegistryStub } from "./objects.ts";

/** The platform ends the registry with each deployment: a request that needs it then gets a 503, and may be repeated. */
export const unreachableRegistry = (cause: unknown): AppError =>
  storageUnavailable("A part of the service cannot be reached at the moment. Try again later.", cause);

async function reached<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw unreachableRegistry(error);
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
