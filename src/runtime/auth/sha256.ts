/** How tokens and keys are hashed: SHA-256, computed at once. They are random, so no slower hash is needed. An owner of hash-wasm. */
import { createSHA256 } from "hash-wasm";

/** The 32 bytes of a text's hash. */
export type Sha256 = (text: string) => Uint8Array;

export async function createSha256(): Promise<Sha256> {
  const hash = await createSHA256();
  return (text) => hash.init().update(text).digest("binary");
}

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Of an even number of hexadecimal digits. */
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
