/** PHC strings: which are Argon2id hashes, and which must be rejected. */
import { describe, expect, it } from "vitest";
import { parsePhc } from "../../../../src/runtime/access/password-hasher.ts";

const SALT = "AAECAwQFBgcICQoLDA0ODw";
const HASH = "/".repeat(43);

const RIGHT = `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${HASH}`;

describe("parsePhc", () => {
  it("returns costs, salt and hash of a PHC string", () => {
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
    ["more than a gigabyte of memory", RIGHT.replace("m=19456", "m=1000000")],
    ["a hundred rounds", RIGHT.replace("t=2", "t=100")],
    ["no rounds", RIGHT.replace("t=2", "t=0")],
    ["no lane", RIGHT.replace("p=1", "p=0")],
    ["less memory than its lanes take", RIGHT.replace("m=19456", "m=7")],
    ["ten lanes", RIGHT.replace("p=1", "p=10")],
    ["no salt", RIGHT.replace(SALT, "")],
    ["no hash", RIGHT.replace(HASH, "")],
    ["a short hash", RIGHT.replace(HASH, "AAAA")],
    ["a hash of an impossible length", RIGHT.replace(HASH, "A".repeat(45))],
    ["padding", `${RIGHT}=`],
    ["characters outside base64", RIGHT.replace(HASH, "_".repeat(43))],
    ["text before it", ` ${RIGHT}`],
    ["text after it", `${RIGHT}\n`],
  ])("returns null for %s", (_name, text) => {
    expect(parsePhc(text)).toBeNull();
  });
});
