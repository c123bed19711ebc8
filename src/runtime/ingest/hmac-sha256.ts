/** HMAC-SHA256 (RFC 2104), computed synchronously. An owner of hash-wasm. */
import { createSHA256 } from "hash-wasm";

/** A prepared key: the inner and the outer padded block of RFC 2104. As secret as the key itself. */
export interface HmacKey {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

export interface HmacSha256 {
  /** Prepares a key of any length. Text is encoded as UTF-8. */
  keyFrom(key: string | Uint8Array): HmacKey;
  /** The 32 bytes of the authentication code. Text is encoded as UTF-8. */
  digest(key: HmacKey, message: string | Uint8Array): Uint8Array;
}

const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
const UTF8_BYTES_PER_UNIT_MAX = 3;

/**
 * hash-wasm's own HMAC needs a promise for each key; here one hash object serves all keys. Each hash is a single update over
 * pad and message: restoring the state after the pad takes longer than hashing the pad's block again.
 */
export async function createHmacSha256(): Promise<HmacSha256> {
  const hash = await createSHA256();
  const encoder = new TextEncoder();

  /** A buffer for pad and message, grown to the longest message so far. */
  let padded = new Uint8Array(4 * BLOCK_BYTES);

  function hashAfter(pad: Uint8Array, message: string | Uint8Array): Uint8Array {
    const bytesMax = BLOCK_BYTES + message.length * (typeof message === "string" ? UTF8_BYTES_PER_UNIT_MAX : 1);
    if (padded.length < bytesMax) padded = new Uint8Array(bytesMax);
    padded.set(pad);
    const room = padded.subarray(BLOCK_BYTES);
    if (typeof message !== "string") room.set(message);
    const length = typeof message === "string" ? encoder.encodeInto(message, room).written : message.length;
    return hash
      .init()
      .update(padded.subarray(0, BLOCK_BYTES + length))
      .digest("binary");
  }

  return {
    keyFrom(key) {
      const bytes = typeof key === "string" ? encoder.encode(key) : key;
      const keyBlock = new Uint8Array(BLOCK_BYTES);
      keyBlock.set(bytes.length > BLOCK_BYTES ? hash.init().update(bytes).digest("binary") : bytes);
      return { inner: keyBlock.map((byte) => byte ^ INNER_PAD), outer: keyBlock.map((byte) => byte ^ OUTER_PAD) };
    },
    digest(key, message) {
      return hashAfter(key.outer, hashAfter(key.inner, message));
    },
  };
}
