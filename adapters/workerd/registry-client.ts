/** The site registry port over calls of the registry object. */
import type { SiteRegistry } from "../../src/runtime/host.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { unlessRefused, type RegistryStub } from "./objects.ts";

/** `registry` gives a stub for each call: one that has failed cannot be used again. */
export function createRegistryClient(registry: () => RegistryStub, siteId: SiteId): SiteRegistry {
  const admit = async (isBounded: boolean): Promise<void> => void unlessRefused(await registry().admit(siteId, isBounded));
  return {
    standingOf: (credentials) => registry().standingOf(credentials),
    admit: () => admit(true),
    announce: () => admit(false),
    doubt: () => registry().doubt(siteId),
    periodSecret: () => registry().periodSecret(),
    addressRateLimit: {
      peek: (key) => registry().peekAddress(key),
      take: (key) => registry().takeAddress(key),
    },
  };
}
