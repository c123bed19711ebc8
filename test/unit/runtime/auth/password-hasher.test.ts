/** The text of a password's hash: what is one, and what would be dangerous to take for one. */
import { describe, expect, it } from "vitest";
import { parsePhc } from "../../../../src/runtime/auth/password-hasher.ts";

const SALT = "AAECAwQFBgcICQoLDA0ODw";
const HASH = "/".repeat(43);

const RIGHT = `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${HASH}`;

describe("a hash in PHC form", () => {
  it("is taken apart", () => {
    expect(parsePhc(RIGHT)).toEqual({
      memoryKib: 19_456,
      iterations: 2,
      parallelism: 1,
      salt: Uint8Array.from({ length: 16 }, (_, i) => i),
      hash: new Uint8Array(32).fill(255),
    });
  });

  it.each([
    ["nothing", ""],
    ["another algorithm", RIGHT.replace("argon2id", "argon2i")],
    ["another version", RIGHT.replace("v=19", "v=16")],
    ["memory of more than a gigabyte", RIGHT.replace("m=19456", "m=1000000")],
    ["a hundred rounds", RIGHT.replace("t=2", "t=100")],
    ["ten lanes", RIGHT.replace("p=1", "p=10")],
    ["no salt", RIGHT.replace(SALT, "")],
    ["no hash", RIGHT.replace(HASH, "")],
    ["a short hash", RIGHT.replace(HASH, "AAAA")],
    ["a hash of no whole number of bytes", RIGHT.replace(HASH, "A".repeat(45))],
    ["padding", `${RIGHT}=`],
    ["characters that are not of base64", RIGHT.replace(HASH, "_".repeat(43))],
    ["something before it", ` ${RIGHT}`],
    ["something behind it", `${RIGHT}\n`],
  ])("is refused: %s", (_name, text) => {
    expect(parsePhc(text)).toBeNull();
  });
});
