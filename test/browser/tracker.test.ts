/** The script file: its size, its names, and the browser properties that it reads. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { beforeAll, describe, test } from "vitest";
import { EVENT_PATH, FILE_DOWNLOAD, OUTBOUND_CLICK, PAGEVIEW } from "../../src/runtime/base/config/names.ts";
import { SCRIPT_PATHS } from "../../src/shared/names.ts";
import { buildTracker } from "../../tracker/build.mjs";
import * as names from "../../tracker/names.ts";

/** The largest sizes that docs/tracking.md rounds to 2.3 and 2.1 KB. */
const [GZIP_BYTES_MAX, BROTLI_BYTES_MAX] = [2_349, 2_149];

describe.concurrent("the script file", () => {
  let script: string;
  beforeAll(async () => {
    script = await buildTracker();
  });

  test("is at most 2.3 KB compressed by gzip, and 2.1 KB by Brotli", ({ expect }) => {
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(GZIP_BYTES_MAX);
    expect(brotliCompressSync(script).length).toBeLessThanOrEqual(BROTLI_BYTES_MAX);
  });

  test("shares its names with the service", ({ expect }) => {
    expect(`/${names.PREFIX}.js`).toBe(SCRIPT_PATHS[0]);
    expect(names.EVENT_PATH).toBe(EVENT_PATH);
    expect(names.PAGEVIEW).toBe(PAGEVIEW);
    expect(names.OUTBOUND_CLICK).toBe(OUTBOUND_CLICK);
    expect(names.FILE_DOWNLOAD).toBe(FILE_DOWNLOAD);
  });

  test("reads no browser property that is used for fingerprinting", ({ expect }) => {
    expect(script).not.toMatch(/userAgentData|getHighEntropyValues|cookie|canvas|plugins/);
  });
});
