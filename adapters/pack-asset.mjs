/** How a file that is served as it is gets into the bundle: its text, and its text compressed as far as it goes. */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** A file that does not get smaller by a tenth is sent as it is. */
const WORTHWHILE = 0.9;

/** Enough of a hash that no two versions of a file share it. */
const VERSION_CHARS = 16;

const worthwhile = (compressed, bytes) => (compressed.length <= bytes.length * WORTHWHILE ? compressed.toString("base64") : undefined);

export const versionOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, VERSION_CHARS);

export function packAsset(contentType, text) {
  const bytes = Buffer.from(text);
  return {
    contentType,
    version: versionOf(text),
    text,
    brotli: worthwhile(
      brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      }),
      bytes,
    ),
    gzip: worthwhile(gzipSync(bytes, { level: 9 }), bytes),
  };
}

export const packScript = (text) => packAsset("text/javascript; charset=utf-8", text);
