/** What every secret store promises. */
import { describe, expect, it } from "vitest";
import type { SecretStore } from "../../src/storage/secret-store.ts";

/** A store with nothing in it, and how the next process gets hold of the same one. */
export interface OpenedSecrets {
  readonly store: SecretStore;
  reopen(): Promise<SecretStore>;
}

export function describeSecretStore(title: string, openStore: () => Promise<OpenedSecrets>): void {
  describe(`the secret store ${title}`, () => {
    it("has nothing at first, and erases nothing", async () => {
      const { store } = await openStore();
      expect(await store.read()).toBeNull();
      await store.erase();
      expect(await store.read()).toBeNull();
    });

    it("gives back what was written last, also to the next process", async () => {
      const { store, reopen } = await openStore();
      await store.write("the first, which is longer\n");
      await store.write("the second\n");
      for (const opened of [store, await reopen()]) expect(await opened.read()).toBe("the second\n");
    });

    it("has nothing after it was erased, also for the next process, and takes another", async () => {
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
