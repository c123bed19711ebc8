/** The contract of the secret store port. */
import { describe, expect, it } from "vitest";
import type { SecretStore } from "../../src/storage/secret-store.ts";

/** An empty store, and how the next process opens the same one. */
export interface OpenedSecrets {
  readonly store: SecretStore;
  reopen(): Promise<SecretStore>;
}

const NAMES = ["utc", "europe-berlin", "etc-gmt-plus-5"];

export function describeSecretStore(title: string, openStore: () => Promise<OpenedSecrets>): void {
  describe(`the secret store ${title}`, () => {
    it.each(NAMES)("a new store has no secret, and erase succeeds: %s", async (name) => {
      const { store } = await openStore();
      const secret = store.secret(name);
      expect(await secret.read()).toBeNull();
      await secret.erase();
      expect(await secret.read()).toBeNull();
      expect(await store.names()).toEqual([]);
    });

    it.each(NAMES)("read returns the secret written last, even in the next process: %s", async (name) => {
      const { store, reopen } = await openStore();
      const secret = store.secret(name);
      await secret.write("the first, which is longer\n");
      await secret.write("the second\n");
      for (const opened of [store, await reopen()]) expect(await opened.secret(name).read()).toBe("the second\n");
    });

    it.each(NAMES)("after erase there is no secret, even in the next process, and a new one can be written: %s", async (name) => {
      const { store, reopen } = await openStore();
      await store.secret(name).write("the first");
      await store.secret(name).erase();
      const next = await reopen();
      for (const opened of [store, next]) expect(await opened.secret(name).read()).toBeNull();
      await next.secret(name).write("another");
      expect(await store.secret(name).read()).toBe("another");
    });

    it("secrets of several names change and end independently, and the next process lists the remaining ones", async () => {
      const { store, reopen } = await openStore();
      for (const name of NAMES) await store.secret(name).write(`that of ${name}`);
      await store.secret("asia-tokyo").write("another");
      await store.secret("asia-tokyo").erase();
      for (const opened of [store, await reopen()]) {
        expect(await opened.names()).toEqual([...NAMES].sort());
        for (const name of NAMES) expect(await opened.secret(name).read()).toBe(`that of ${name}`);
      }
      await store.secret("utc").erase();
      expect(await store.names()).toEqual(NAMES.filter((name) => name !== "utc").sort());
    });

    it.each(["", "..", "../secret", "Europe/Berlin", "a.json", "x".repeat(65)])("%j is not a valid name", async (name) => {
      const { store } = await openStore();
      expect(() => store.secret(name)).toThrow("not the name of a secret");
    });

    it("each secret is stored in a place of its own", async () => {
      const { store } = await openStore();
      expect(new Set(NAMES.map((name) => store.secret(name).location)).size).toBe(NAMES.length);
    });
  });
}
