/** The site registry port over calls of the registry object. */
import { storageUnavailable } from "../../src/runtime/errors.ts";
import type { SiteRegistry } from "../../src/runtime/host.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { unlessRefused, type RegistryStub } from "./objects.ts";

/** The platform ends the registry with each deployment: a request that needs it then gets a 503, and may be repeated. */
async function reached<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw storageUnavailable("A part of the service cannot be reached at the moment. Try again later.", error);
  }
}

/** `registry` gives a stub for each call: one that has failed cannot be used again. */
export function createRegistryClient(registry: () => RegistryStub, siteId: SiteId): SiteRegistry {
  const admit = async (isBounded: boolean): Promise<void> => void unlessRefused(await reached(registry().admit(siteId, isBounded)));
  return {
    standingOf: (credentials) => reached(registry().standingOf(credentials)),
    admit: () => admit(true),
    announce: () => admit(false),
    doubt: () => registry().doubt(siteId),
    periodSecret: () => registry().periodSecret(),
    addressRateLimit: {
      peek: (key) => reached(registry().peekAddress(key)),
      take: (key) => reached(registry().takeAddress(key)),
    },
  };
}
