/** The contract of the secret store port. */
import { describe, expect, it } from "vitest";
import type { SecretStore } from "../../src/storage/secret-store.ts";

/** An empty store, and how the next process opens the same one. */
export interface OpenedSecrets {
  readonly store: SecretStore;
  reopen(): Promise<SecretStore>;
}

export function describeSecretStore(title: string, openStore: () => Promise<OpenedSecrets>): void {
  describe(`the secret store ${title}`, () => {
    it("a new store has no secret, and erase succeeds", async () => {
      const { store } = await openStore();
      expect(await store.read()).toBeNull();
      await store.erase();
      expect(await store.read()).toBeNull();
    });

    it("read returns the secret written last, also in the next process", async () => {
      const { store, reopen } = await openStore();
      await store.write("the first, which is longer\n");
      await store.write("the second\n");
      for (const opened of [store, await reopen()]) expect(await opened.read()).toBe("the second\n");
    });

    it("after erase there is no secret, also in the next process, and a new one can be written", async () => {
      const { store, reopen } = await openStore();
      await store.write("the first");
      await store.erase();
      const next = await reopen();
      for (const opened of [store, next]) expect(await opened.read()).toBeNull();
      await next.write("another");
      expect(await store.read()).toBe("another");
    });
  });
}
