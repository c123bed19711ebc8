/** What every password hasher promises. */
import { describe, expect, it } from "vitest";
import type { PasswordHasher } from "../../src/runtime/auth/password-hasher.ts";

/** Of the reference implementation's own tests: "password", salt "somesalt". */
const REFERENCE = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

export function describePasswordHasher(title: string, hasher: PasswordHasher): void {
  describe(`the password hasher ${title}`, () => {
    it("§2.4 makes Argon2id hashes with 19 MiB, two rounds and a salt of 16 bytes", async () => {
      const phc = await hasher.hash("correct horse battery");
      expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      expect(await hasher.verify("correct horse battery", phc)).toBe(true);
      expect(await hasher.verify("correct horse batterz", phc)).toBe(false);
      expect(await hasher.verify("", phc)).toBe(false);
    });

    it("salts each hash anew", async () => {
      expect(await hasher.hash("the same password")).not.toBe(await hasher.hash("the same password"));
    });

    it("takes letters and their accents together or apart for the same password", async () => {
      const phc = await hasher.hash("p\u00e4sswort\u2603");
      expect(await hasher.verify("pa\u0308sswort\u2603", phc)).toBe(true);
      expect(await hasher.verify("passwort\u2603", phc)).toBe(false);
    });

    it("checks hashes that others have made, with the costs that they name", async () => {
      expect(await hasher.verify("password", REFERENCE)).toBe(true);
      expect(await hasher.verify("Password", REFERENCE)).toBe(false);
    });

    it("rejects what is no hash", async () => {
      await expect(hasher.verify("password", "password")).rejects.toThrow("is not an Argon2id PHC string");
    });
  });
}
