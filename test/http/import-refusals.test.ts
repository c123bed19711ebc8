/** Bad input of imports over HTTP: bombs, tricks with names, endless lines and impossible values are named, and never stop the rest. */
import { gzipSync as nativeGzip } from "node:zlib";
import { gzipSync, strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import {
  IMPORT_ATTEMPTS_MAX,
  IMPORT_EXPANSION_BYTES_FREE,
  IMPORT_EXPANSION_MAX,
  IMPORT_LINE_BYTES_MAX,
  IMPORT_RETRY_MS,
} from "../../src/runtime/base/config/limits.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { readJsonRecord, replaceJsonRecord } from "../../src/storage/record-store.ts";
import { CLOSED, createKey, logIn, withBearer } from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { expectError } from "../support/requests.ts";
import { confirm, type Files, getImport, logLine, sendParts, beginUpload, upload, whenRead } from "../support/uploads.ts";

const SITE = "site.test";

async function opened() {
  const records = createMemoryRecordStore();
  const target = await createInProcessTarget(CLOSED, { records });
  const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
  const uploaded = (files: Files) => upload(target, headers, SITE, files);
  return { target, headers, uploaded, records };
}

const LINE = logLine("2026-01-01T00:00:00", "/");

/** A log of this many bytes that is compressed to less than an 800th: all lines but the first ones are long and alike. */
function bomb(bytes: number): Uint8Array {
  const first = strToU8(LINE.repeat(10));
  const line = strToU8(logLine("2026-01-01T00:00:00", `/?${"a".repeat(IMPORT_LINE_BYTES_MAX / 2)}`));
  const whole = new Uint8Array(first.length + Math.ceil(bytes / line.length) * line.length);
  whole.set(first);
  for (let at = first.length; at < whole.length; at += line.length) whole.set(line, at);
  // fflate would take seconds.
  return Uint8Array.from(nativeGzip(whole));
}

describe("bad input of an import", () => {
  it("names files with tricks, and imports the rest", async () => {
    const { target, headers, uploaded } = await opened();
    let nested = strToU8(LINE);
    for (let depth = 0; depth < 5; depth++) nested = gzipSync(nested);
    const archive = zipSync({
      "../above.log": strToU8(LINE),
      "C:\\windows.log": strToU8(LINE),
      "access.log": strToU8(LINE),
      "ACCESS.log": strToU8(LINE),
      "good.log": strToU8(LINE),
    });
    const { manifest } = await uploaded({ "logs.zip": archive, "deep.gz": nested, "damaged.gz": gzipSync(strToU8(LINE)).slice(0, -4) });
    const ignored = Object.fromEntries(manifest?.ignored.map(({ path, reason }) => [path, reason]) ?? []);
    expect(ignored).toEqual({
      "logs.zip/../above.log": expect.stringContaining("leads out of the archive") as string,
      "logs.zip/C:\\windows.log": expect.stringContaining("leads out of the archive") as string,
      "logs.zip/access.log": expect.stringContaining("perhaps in other case") as string,
      "logs.zip/ACCESS.log": expect.stringContaining("perhaps in other case") as string,
      deep: expect.stringContaining("3 deep") as string,
      damaged: expect.stringContaining("damaged or cut short") as string,
    });
    expect(manifest?.products).toMatchObject([{ paths: ["logs.zip/good.log"] }]);
    expect(await confirm(target, headers, 1)).toMatchObject({ state: "shown", events: 1 });
    await target.close();
  });

  it("refuses a host that is none, and a log format that lacks what every line needs, before files are sent", async () => {
    const { target, headers } = await opened();
    const begin = (fields: object) =>
      target.fetch("/api/imports", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ site_id: SITE, files: [{ name: "access.log", bytes: 1 }], ...fields }),
      });
    await expectError(await begin({ hostname: "<x>" }), 400, 'Field "hostname" must be the name of a host');
    await expectError(await begin({ hostname: "a b" }), 400, 'Field "hostname" must be the name of a host');
    await expectError(await begin({ log_format: "$remote_addr $xx" }), 400, "The log_format needs a time");
    expect((await begin({ hostname: "www.site.test", log_format: '$remote_addr [$time_local] "$request" $status' })).status).toBe(201);
    await target.close();
  });

  it("counts rows with endless lines and impossible dates, and imports the rest", async () => {
    const { target, headers, uploaded } = await opened();
    const log = [
      LINE,
      `${"x".repeat(2 * IMPORT_LINE_BYTES_MAX)}\n`,
      logLine("1994-12-31T23:59:59", "/"),
      logLine("2026-03-17T12:00:01", "/"),
      logLine("2026-01-02T00:00:00", "/"),
    ].join("");
    const { manifest } = await uploaded({ "access.log": log });
    expect(manifest?.bad_rows.reasons.map(({ reason, rows }) => [reason, rows])).toEqual([
      ["date_out_of_range", 2],
      ["line_too_long", 1],
    ]);
    expect(manifest?.bad_rows.first.map(({ path, line, reason }) => [path, line, reason])).toEqual([
      ["access.log", 2, "line_too_long"],
      ["access.log", 3, "date_out_of_range"],
      ["access.log", 4, "date_out_of_range"],
    ]);
    expect(await confirm(target, headers, 1)).toMatchObject({ state: "shown", events: 2 });
    await target.close();
  });

  it("counts rows of days with impossible numbers and dates", async () => {
    const { target, uploaded } = await opened();
    const counts = [
      ["2026-01-01", "5"],
      ["2026-01-02", "-1"],
      ["2026-01-03", "10000000001"],
      ["2026-01-04", "many"],
      ["1994-01-05", "5"],
      ["2026-13-06", "5"],
    ] as const;
    const rows = counts.map(([date, visitors]) => `${date},${visitors},9,1,6,60`);
    const visitors = ["date,visitors,pageviews,bounces,visits,visit_duration", ...rows, ""].join("\n");
    const { manifest } = await uploaded({ "imported_visitors_20260101_20260106.csv": visitors });
    const reasons = manifest?.bad_rows.reasons.map(({ reason, rows: count }) => [reason, count]);
    expect(Object.fromEntries(reasons ?? [])).toEqual({ number_out_of_range: 2, bad_number: 1, date_out_of_range: 1, bad_date: 1 });
    expect(manifest?.totals).toMatchObject([{ month: "2026-01", visitors: 5 }]);
    await target.close();
  });

  it("refuses a bomb by its name", async () => {
    const { target, uploaded } = await opened();
    const failed = await uploaded({ "bomb.log.gz": bomb(1.1 * IMPORT_EXPANSION_BYTES_FREE) });
    const failure = `bomb.log.gz is more than ${IMPORT_EXPANSION_MAX} times as large when decompressed.`;
    expect(failed).toMatchObject({ state: "failed", failure: expect.stringContaining(failure) as string });
    await target.close();
  });

  it("lets others have their turn while an import cannot be read", async () => {
    const memory = createMemoryObjectStore();
    const objects: ObjectStore = {
      ...memory,
      get: (key) => (key.startsWith("imports/1/files/") ? Promise.reject(new Error("the disk cannot read")) : memory.get(key)),
    };
    const target = await createInProcessTarget(CLOSED, { objects });
    const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
    for (const path of ["/first", "/second"]) {
      const files = { "access.log": logLine("2026-01-01T00:00:00", path) };
      await sendParts(target, headers, (await beginUpload(target, headers, SITE, files)).import_id, files);
    }
    for (let turns = 0; turns < 2; turns++) {
      await target.advance(IMPORT_RETRY_MS);
      await target.services.imports?.job.settled();
    }
    expect([(await getImport(target, headers, 1)).state, (await getImport(target, headers, 2)).state]).toEqual(["reading", "ready"]);
    await target.close();
  });

  it("gives up files with which the process has ended again and again", async () => {
    const { target, headers, records } = await opened();
    const files = { "access.log": LINE };
    const { import_id: id } = await beginUpload(target, headers, SITE, files);
    await sendParts(target, headers, id, files);
    const name = `imports/${id}.json`;
    const stored = (await readJsonRecord(records, name)) ?? {};
    await replaceJsonRecord(records, name, { ...stored, attempts: IMPORT_ATTEMPTS_MAX });
    await target.crash();
    await whenRead(target);
    const failed = await getImport(target, headers, id);
    expect(failed).toMatchObject({ state: "failed", failure: expect.stringContaining(`ended ${IMPORT_ATTEMPTS_MAX} times`) as string });
    await target.close();
  });
});
