import { describe, expect, it } from "vitest";
import { type RegistryStub, createRegistryClient } from "../../../../adapters/workerd/objects.ts";
import type { SiteId } from "../../../../src/storage/event.ts";

/** A stub of an object that the platform has ended rejects every call. */
const ENDED = new Proxy({} as RegistryStub, {
  get: () => () => Promise.reject(new Error("Durable Object reset because its code was updated.")),
});

describe("registry calls that the platform has ended", () => {
  const registry = createRegistryClient(
    () => ENDED,
    "one.test" as SiteId,
    async () => {},
  );

  it.each([
    ["the caller's standing", () => registry.standingOf({ sessionTokens: [], apiKeys: [], share: null })],
    ["the admission of the site", () => registry.admit()],
    ["the rate limit of an address", () => registry.addressRateLimit.take("192.0.2.1")],
  ])("for %s reject as unavailable, not as an internal error", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ failure: { code: "unavailable" } });
  });
});
