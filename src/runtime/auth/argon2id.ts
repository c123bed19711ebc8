/** How passwords are hashed: Argon2id with the costs that OWASP names. An owner of hash-wasm. */
import { argon2id } from "hash-wasm";
import { equalBytes } from "./equal-bytes.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import { parsePhc } from "./phc.ts";

export interface Argon2idCosts {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

const COSTS: Argon2idCosts = { memoryKib: 19 * 1024, iterations: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const costsOf = ({ memoryKib, iterations, parallelism }: Argon2idCosts) => ({ memorySize: memoryKib, iterations, parallelism });

/**
 * Works in the calling thread, about 50 ms at a time. Composed and decomposed letters make the same password. The costs are
 * those of new hashes; a hash that is checked says its own.
 */
export function createArgon2id(randomBytes: (length: number) => Uint8Array, costs = COSTS): PasswordHasher {
  return {
    hash: (password) =>
      argon2id({
        password: password.normalize("NFC"),
        salt: randomBytes(SALT_BYTES),
        ...costsOf(costs),
        hashLength: HASH_BYTES,
        outputType: "encoded",
      }),
    async verify(password, phc) {
      const wanted = parsePhc(phc);
      if (!wanted) throw new Error("what should be a password's hash is none");
      // hash-wasm takes no empty text, and nobody has an empty password.
      if (password === "") return false;
      const found = await argon2id({
        password: password.normalize("NFC"),
        salt: wanted.salt,
        ...costsOf(wanted),
        hashLength: wanted.hash.length,
        outputType: "binary",
      });
      return equalBytes(found, wanted.hash);
    },
  };
}
