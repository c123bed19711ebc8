/**
 * Password hashing: Argon2id with the costs of the OWASP Password Storage Cheat Sheet, stored as PHC strings
 * (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`). An owner of hash-wasm.
 */
import { argon2id } from "hash-wasm";
import { equalBytes } from "../base/bytes.ts";

/** Hashing is slow on purpose. An adapter does it where no other request has to wait. */
export interface PasswordHasher {
  /** The password's hash with a fresh salt, as a PHC string. */
  hash(password: string): Promise<string>;
  /** True if the hash is this password's. Rejects when `phc` is not a PHC string (see `parsePhc`). */
  verify(password: string, phc: string): Promise<boolean>;
}

export interface Argon2idCosts {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

interface Argon2idHash extends Argon2idCosts {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Few digits for the costs, so that a tampered hash cannot demand all memory and hours of work. */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** null when the length is impossible for base64. */
function bytesOf(base64: string): Uint8Array | null {
  if (base64.length % 4 === 1) return null;
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** RFC 9106, 3.1: with others there is no hash. */
const areCosts = ({ memoryKib, iterations, parallelism }: Argon2idCosts): boolean =>
  iterations >= 1 && parallelism >= 1 && memoryKib >= 8 * parallelism;

/** null when the text is not an Argon2id hash. */
export function parsePhc(text: string): Argon2idHash | null {
  const [, memory, iterations, parallelism, saltText, hashText] = PHC.exec(text) ?? [];
  const salt = bytesOf(saltText ?? "");
  const hash = bytesOf(hashText ?? "");
  if (!memory || !iterations || !parallelism || !salt || !hash) return null;
  const costs = { memoryKib: Number(memory), iterations: Number(iterations), parallelism: Number(parallelism) };
  return areCosts(costs) ? { ...costs, salt, hash } : null;
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
