/** How HMAC-SHA256 (RFC 2104) is computed at once, without a promise. An owner of hash-wasm. */
import { createSHA256 } from "hash-wasm";

/** A key that was taken in: a block that hashing begins with, once for the message and once for its hash. As secret as the key itself. */
export interface HmacKey {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

export interface HmacSha256 {
  /** Takes a key of any length in. Text counts as its UTF-8 bytes. */
  keyFrom(key: string | Uint8Array): HmacKey;
  /** The 32 bytes of the message's code. Text counts as its UTF-8 bytes. */
  digest(key: HmacKey, message: string | Uint8Array): Uint8Array;
}

const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
const UTF8_BYTES_PER_UNIT_MAX = 3;

/**
 * hash-wasm's own HMAC needs a promise for each key; one hash serves all keys here. Each hash is one update over pad and
 * message together: to load the state after the pad instead takes longer than to hash its one block again.
 */
export async function createHmacSha256(): Promise<HmacSha256> {
  const hash = await createSHA256();
  const encoder = new TextEncoder();

  /** Long enough for the longest message so far. */
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
