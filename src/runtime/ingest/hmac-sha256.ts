/** How HMAC-SHA256 (RFC 2104) is computed at once, without a promise. An owner of hash-wasm. */
import { createSHA256 } from "hash-wasm";

/** A key that was taken in: the hash's states after the inner and the outer pad. As secret as the key itself. */
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

/** hash-wasm's own HMAC needs a promise for each key; one hash, loaded with saved states, serves all keys. */
export async function createHmacSha256(): Promise<HmacSha256> {
  const hash = await createSHA256();
  const encoder = new TextEncoder();

  function stateAfterPad(keyBlock: Uint8Array, pad: number): Uint8Array {
    return hash.init().update(keyBlock.map((byte) => byte ^ pad)).save();
  }

  return {
    keyFrom(key) {
      const bytes = typeof key === "string" ? encoder.encode(key) : key;
      const keyBlock = new Uint8Array(BLOCK_BYTES);
      keyBlock.set(bytes.length > BLOCK_BYTES ? hash.init().update(bytes).digest("binary") : bytes);
      return { inner: stateAfterPad(keyBlock, INNER_PAD), outer: stateAfterPad(keyBlock, OUTER_PAD) };
    },
    digest(key, message) {
      const innerDigest = hash.load(key.inner).update(message).digest("binary");
      return hash.load(key.outer).update(innerDigest).digest("binary");
    },
  };
}
