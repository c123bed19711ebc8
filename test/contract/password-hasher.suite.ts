/** The contract of the password hasher port. */
import { describe, expect, it } from "vitest";
import type { PasswordHasher } from "../../src/runtime/access/password-hasher.ts";

/** From the tests of the reference implementation: "password", salt "somesalt". */
const REFERENCE = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

export function describePasswordHasher(title: string, hasher: PasswordHasher): void {
  describe(`the password hasher ${title}`, () => {
    it("hash uses Argon2id with 19 MiB, two iterations and a salt of 16 bytes", async () => {
      const phc = await hasher.hash("correct horse battery");
      expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      expect(await hasher.verify("correct horse battery", phc)).toBe(true);
      expect(await hasher.verify("correct horse batterz", phc)).toBe(false);
      expect(await hasher.verify("", phc)).toBe(false);
    });

    it("each hash has a new salt", async () => {
      expect(await hasher.hash("the same password")).not.toBe(await hasher.hash("the same password"));
    });

    it("composed and decomposed Unicode forms are the same password", async () => {
      const phc = await hasher.hash("p\u00e4sswort\u2603");
      expect(await hasher.verify("pa\u0308sswort\u2603", phc)).toBe(true);
      expect(await hasher.verify("passwort\u2603", phc)).toBe(false);
    });

    it("verify accepts hashes of other implementations, with the parameters they contain", async () => {
      expect(await hasher.verify("password", REFERENCE)).toBe(true);
      expect(await hasher.verify("Password", REFERENCE)).toBe(false);
    });

    it("verify rejects a string that is not a hash", async () => {
      await expect(hasher.verify("password", "password")).rejects.toThrow("is not an Argon2id PHC string");
    });
  });
}
