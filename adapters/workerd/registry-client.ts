/** The site registry port over calls of the registry object. */
import type { SiteRegistry } from "../../src/runtime/service/host.ts";
import type { SiteRecord } from "../../src/runtime/sites/site-record.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { reached, unlessRefused, type RegistryStub } from "./objects.ts";

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
