/** Imports that grow with a log (docs/http-api.md, "Imports"): lines count once, whatever is repeated, and can be taken back. */
import { describe, expect, it } from "vitest";
import { FOLLOWED_FILES_MAX, FOLLOWED_LOGS_MAX } from "../../src/runtime/base/config/limits.ts";
import { bodyOf, CLOSED, createKey, logIn, withBearer } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessParts } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { readJsonRecord, replaceJsonRecord } from "../../src/storage/record-store.ts";
import { createRecordSecretStore, isImportSecret } from "../../src/storage/secret-store.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { expectError } from "../support/requests.ts";
import { askImports, logLine } from "../support/uploads.ts";

const SITE = "site.test";

async function opened(parts: InProcessParts = {}) {
  const objects = createMemoryObjectStore();
  const target = await createInProcessTarget(CLOSED, { objects, ...parts });
  const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
  const ask = (path: string, method = "GET", body?: string) =>
    askImports(target, headers, path, { method, ...(body !== undefined && { body }) });
  const follow = () => ask("", "POST", JSON.stringify({ site_id: SITE, follow: "access.log" }));
  const put = (offset: number, lines: string) => ask(`/1/lines?offset=${offset}`, "PUT", lines);
  const report = async () => {
    const response = await target.fetch(`/api/stats/main?period=all&site_id=${SITE}`, { headers });
    return `${response.status} ${await response.text()}`;
  };
  return { target, ask, follow, put, report, objects };
}

const FIRST = logLine("2026-01-31T23:00:00", "/a") + logLine("2026-01-31T23:10:00", "/b");
const SECOND = logLine("2026-02-01T08:00:00", "/a");

describe("a log that is followed", () => {
  it("counts each line once, by visitors of the day, and is hidden, shown and deleted as any import", async () => {
    const { ask, follow, put, report } = await opened();
    const before = await report();
    expect(await bodyOf(await follow(), 201)).toMatchObject({ import_id: 1, state: "shown", followed: { bytes: 0 } });
    expect(await report()).toBe(before);
    const one = await bodyOf(await put(0, FIRST));
    expect(one).toMatchObject({ events: 2, followed: { bytes: FIRST.length, bad_rows: 0 }, start_date: "2026-01-31" });
    const afterOne = await report();
    expect(afterOne).not.toBe(before);
    expect(await bodyOf(await put(0, FIRST)), "repeated").toEqual(one);
    expect(await report()).toBe(afterOne);
    const two = await bodyOf(await put(FIRST.length, `${SECOND}no line of a log\n`));
    expect(two).toMatchObject({ events: 3, rows: 4, followed: { bad_rows: 1 }, end_date: "2026-02-01" });
    const afterTwo = await report();
    await bodyOf(await ask("/1/hide", "POST"));
    expect(await report()).toBe(before);
    await bodyOf(await ask("/1/show", "POST"));
    expect(await report()).toBe(afterTwo);
    await bodyOf(await ask("/1", "DELETE"));
    expect(await report()).toBe(before);
  });

  it("tells visitors apart by a salt of the day, which is erased when the day has been over for a day", async () => {
    const records = createMemoryRecordStore();
    const secrets = createRecordSecretStore(records);
    const salts = async () => (await secrets.names()).filter(isImportSecret);
    const { target, follow, put } = await opened({ records, secrets, startMs: Date.parse("2026-02-01T09:00:00Z") });
    await bodyOf(await follow(), 201);
    await bodyOf(await put(0, FIRST));
    await bodyOf(await put(FIRST.length, SECOND));
    expect(await salts()).toEqual(["import-1-2026-01-31", "import-1-2026-02-01"]);
    await target.advance(86_400_000);
    await target.services.imports?.job.run();
    expect(await salts()).toEqual(["import-1-2026-02-01"]);
    await target.advance(86_400_000);
    await target.services.imports?.job.run();
    expect(await salts()).toEqual([]);
  });

  it("erases the salt of a day that has been over for a day although lines of today come, and of days in the past one by one", async () => {
    const records = createMemoryRecordStore();
    const secrets = createRecordSecretStore(records);
    const { target, follow, put } = await opened({ records, secrets, startMs: Date.parse("2026-02-01T23:55:00Z") });
    const saltsAfter = async (advanceMs: number) => {
      await target.advance(advanceMs);
      await target.services.imports?.job.run();
      return (await secrets.names()).filter(isImportSecret);
    };
    await bodyOf(await follow(), 201);
    let offset = 0;
    const send = async (...instants: string[]) => {
      const lines = instants.map((instant) => logLine(instant, "/a")).join("");
      await bodyOf(await put(offset, lines));
      offset += lines.length;
    };
    await send("2026-01-29T10:00:00", "2026-01-30T10:00:00");
    expect(await saltsAfter(0)).toEqual(["import-1-2026-01-30"]);
    await send("2026-01-30T10:00:00", "2026-01-31T10:00:00", "2026-02-01T23:50:00");
    expect(await saltsAfter(0)).toEqual(["import-1-2026-01-31", "import-1-2026-02-01"]);
    await target.advance(360_000);
    await send("2026-02-02T00:00:30");
    expect(await saltsAfter(0)).toEqual(["import-1-2026-02-01", "import-1-2026-02-02"]);
    await send("2026-01-02T10:00:00");
    expect(await saltsAfter(0)).toEqual(["import-1-2026-01-02", "import-1-2026-02-01", "import-1-2026-02-02"]);
    expect(await saltsAfter(600_000)).toEqual(["import-1-2026-02-01", "import-1-2026-02-02"]);
  });

  it("says when the log must go on in another import, for which there is room", async () => {
    const parts = { records: createMemoryRecordStore(), objects: createMemoryObjectStore() };
    const first = await opened(parts);
    await bodyOf(await first.follow(), 201);
    expect(await bodyOf(await first.put(0, FIRST))).toMatchObject({ followed: { is_full: false } });
    const record = await readJsonRecord(parts.records, "imports/1.json");
    await replaceJsonRecord(parts.records, "imports/1.json", { ...record, files: FOLLOWED_FILES_MAX - 1 });
    const { ask, follow, put } = await opened(parts);
    expect(await bodyOf(await ask("/1"))).toMatchObject({ followed: { is_full: false } });
    expect(await bodyOf(await put(FIRST.length, SECOND))).toMatchObject({ events: 3, followed: { is_full: true } });
    for (let i = 0; i < FOLLOWED_LOGS_MAX; i++) await bodyOf(await follow(), 201);
    await expectError(await follow(), 409, /logs are followed/);
  });

  it("refuses lines that do not fit, and takes those that do afterwards", async () => {
    const { ask, follow, put } = await opened();
    expect((await put(0, FIRST)).status).toBe(404);
    await bodyOf(await follow(), 201);
    await expectError(await put(0, FIRST.trimEnd()), 400, /line feed/);
    await expectError(await put(0, "nothing of a log\n"), 400, /log format/);
    await expectError(await put(5, FIRST), 409, /begin at 0, and not at 5/);
    await bodyOf(await put(0, FIRST));
    await expectError(await put(1, FIRST), 409, /begin at/);
    for (let i = 1; i < FOLLOWED_LOGS_MAX; i++) await bodyOf(await follow(), 201);
    await expectError(await follow(), 409, /logs are followed/);
    await expectError(await ask("", "POST", JSON.stringify({ site_id: SITE })), 422, /missing/);
  });
});
