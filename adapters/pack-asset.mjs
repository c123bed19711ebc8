/** Packs a static file into the bundle: its text or bytes, and the same compressed at the highest level. */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** A file that compression does not shrink by a tenth is served uncompressed. */
const WORTHWHILE = 0.9;

/** Enough of a hash to avoid collisions between versions of a file. */
const VERSION_CHARS = 16;

/** @param {Buffer} compressed @param {Buffer} bytes */
const worthwhile = (compressed, bytes) => (compressed.length <= bytes.length * WORTHWHILE ? compressed.toString("base64") : undefined);

/** @param {string | Uint8Array} text */
export const versionOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, VERSION_CHARS);

/**
 * @param {string} contentType @param {string | Uint8Array} content
 * @returns {import("../src/runtime/service/assets.ts").PackedAsset} the file for the bundle, in Brotli and gzip if that makes it smaller
 */
export function packAsset(contentType, content) {
  const bytes = Buffer.from(content);
  return {
    contentType,
    version: versionOf(content),
    ...(typeof content === "string" ? { text: content } : { base64: bytes.toString("base64") }),
    brotli: worthwhile(
      brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      }),
      bytes,
    ),
    gzip: worthwhile(gzipSync(bytes, { level: 9 }), bytes),
  };
}

/** @param {string} text */
export const packScript = (text) => packAsset("text/javascript; charset=utf-8", text);
