/** How passwords are hashed: Argon2id with the costs of the OWASP Password Storage Cheat Sheet. An owner of hash-wasm. */
import { argon2id } from "hash-wasm";
import { parsePhc, type PasswordHasher } from "./password-hasher.ts";
import { equalBytes } from "../base/sha256.ts";

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
 * Runs in the calling thread, about 50 ms a hash. Passwords are normalised (NFC), so that composed and decomposed letters are
 * equal. `costs` applies to new hashes; a stored hash names its own.
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
      if (!wanted) throw new Error("the stored password hash is not an Argon2id PHC string");
      // hash-wasm rejects an empty text, and no password is empty.
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
