/** How tokens and API keys are hashed and compared: SHA-256 (they are random, so no slower hash is needed), in constant time. An owner of hash-wasm. */
import { createSHA256 } from "hash-wasm";

/** The 32 bytes of a text's hash. Synchronous. */
export type Sha256 = (text: string) => Uint8Array;

export async function createSha256(): Promise<Sha256> {
  const hash = await createSHA256();
  return (text) => hash.init().update(text).digest("binary");
}

/** Whether two byte strings are equal. Compares every byte, so the time reveals nothing but a difference in length. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Of an even number of hexadecimal digits. */
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
