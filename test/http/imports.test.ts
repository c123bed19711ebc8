/** Imports by upload, from the first part to the deletion (docs/http-api.md, "Imports"): nothing counts before it is confirmed. */
import { describe, expect, it } from "vitest";
import { IMPORT_FREE_BYTES_MIN, IMPORT_WAITING_DAYS, IMPORTS_WAITING_MAX } from "../../src/runtime/base/config/limits.ts";
import { bodyOf, CLOSED, createKey, logIn, withBearer } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessParts } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { expectError, record, wireEvent } from "../support/requests.ts";
import {
  askImports,
  beginUpload,
  confirm,
  datapoints,
  type Files,
  getImport,
  logLine,
  sendParts,
  upload,
  whenRead,
} from "../support/uploads.ts";
import { IMPORT_PART_BYTES_MAX, IMPORT_PART_BYTES_MIN } from "../../src/shared/limits.ts";

const SITE = "site.test";
const BOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

const LOG = [
  logLine("2026-01-31T23:00:00", "/a"),
  logLine("2026-01-31T23:10:00", "/b"),
  logLine("2026-02-01T08:00:00", "/a"),
  logLine("2026-02-01T08:01:00", "/", { userAgent: BOT }),
  logLine("2026-02-01T09:00:00", "/c", { address: "198.51.100.20" }),
  "no line of a log\n",
].join("");

async function opened(parts: InProcessParts = {}) {
  const objects = createMemoryObjectStore();
  const target = await createInProcessTarget(CLOSED, { objects, ...parts });
  // A session would end with the process.
  const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
  const ask = (path: string, method = "GET", body?: string | Uint8Array) =>
    askImports(target, headers, path, { method, ...(body !== undefined && { body }) });
  /** What a report says, byte for byte. */
  const report = async (query = "main?period=all") => {
    const response = await target.fetch(`/api/stats/${query}&site_id=${SITE}`, { headers });
    return `${response.status} ${await response.text()}`;
  };
  return { target, headers, ask, report, objects };
}

describe("an import", () => {
  it("of two at once is refused if the disk has room for one", async () => {
    const { target, ask } = await opened({ freeBytes: async () => IMPORT_FREE_BYTES_MIN + 1000 });
    const begin = () => ask("", "POST", JSON.stringify({ site_id: SITE, files: [{ name: "access.log", bytes: 600 }] }));
    expect((await Promise.all([begin(), begin()])).map(({ status }) => status)).toEqual([201, 400]);
    await target.close();
  });

  it("is shown once it is confirmed, reconciled with its source, hidden, shown and deleted", async () => {
    const { target, headers, ask, report, objects } = await opened();
    const before = await report();
    const ready = await upload(target, headers, SITE, { "access.log": LOG });
    expect(ready).toMatchObject({ import_id: 1, site_id: SITE, state: "ready", failure: null, events: 0, reconciliation: null });
    expect(ready.manifest).toMatchObject({
      products: [{ rows: "hits", files: 1, paths: ["access.log"] }],
      rows: 6,
      days: 2,
      start_date: "2026-01-31",
      end_date: "2026-02-01",
      totals: [
        { month: "2026-01", pageviews: 2, events: 0 },
        { month: "2026-02", pageviews: 2, events: 0 },
      ],
      cut_off: null,
      overlaps: [],
      bad_rows: { rows: 1, first: [{ path: "access.log", line: 6, value: "no line of a log" }] },
      left_out: [{ reason: "bot", rows: 1 }],
    });
    expect(await report()).toBe(before);

    const shown = await confirm(target, headers, 1);
    expect(shown).toMatchObject({ state: "shown", events: 4, start_date: "2026-01-31", end_date: "2026-02-01" });
    expect(shown.reconciliation).toEqual([
      { month: "2026-01", measure: "pageviews", source: 2, imported: 2, difference: 0, reasons: [] },
      { month: "2026-02", measure: "pageviews", source: 2, imported: 2, difference: 0, reasons: [] },
    ]);
    expect(await objects.list("imports"), "uploaded files").toEqual([]);
    const after = await report();
    expect(after).toContain('"total_pageviews":4');
    expect(after).toContain('"unique_visitors":3');

    expect(await bodyOf(await ask("/1/hide", "POST"))).toMatchObject({ state: "hidden" });
    expect(await report()).toBe(before);
    expect(await bodyOf(await ask("/1/show", "POST"))).toMatchObject({ state: "shown" });
    expect(await report()).toBe(after);
    await expectError(await ask("/1/show", "POST"), 409, "Import #1 is shown, and not hidden");
    expect(await bodyOf(await ask("/1", "DELETE"))).toEqual({ status: "deleted" });
    expect(await report()).toBe(before);
    await expectError(await ask("/1"), 404, "There is no import #1");
    expect([await objects.list("events"), await bodyOf(await ask(""))]).toEqual([[], []]);
    await target.close();
  });

  it("goes on after a restart at any point, and each event counts once", async () => {
    const { target, headers, ask, report } = await opened();
    const files = { "access.log": LOG };
    const { import_id: id } = await beginUpload(target, headers, SITE, files);
    await target.restart();
    await sendParts(target, headers, id, files);
    await target.crash();
    await whenRead(target);
    expect(await getImport(target, headers, id)).toMatchObject({ state: "ready" });
    await target.crash();
    await bodyOf(await ask(`/${id}/confirm`, "POST"));
    await target.crash();
    await whenRead(target);
    expect(await getImport(target, headers, id)).toMatchObject({ state: "shown", events: 4 });
    await target.restart();
    expect(await report()).toContain('"total_pageviews":4');
    await target.close();
  });

  it("takes parts in order, and the same part again", async () => {
    const { target, headers, ask } = await opened();
    const bytes = new Uint8Array(IMPORT_PART_BYTES_MIN + 10).fill(32);
    const { import_id: id } = await beginUpload(target, headers, SITE, { "a.log": bytes, "b.log": LOG });
    const put = (file: number | string, offset: number | string, body: Uint8Array) =>
      ask(`/${id}/files/${file}?offset=${offset}`, "PUT", body);
    await expectError(await put(0, 0, bytes.subarray(0, 10)), 400, `at least ${IMPORT_PART_BYTES_MIN} bytes`);
    await expectError(await put(0, 10, bytes.subarray(10)), 409, "0 bytes of file 0 have arrived");
    await expectError(await put(2, 0, bytes), 400, "files 0 to 1");
    await expectError(await put("x", 0, bytes), 400, "integer");
    await expectError(await put(0, "x", bytes), 400, '"offset"');
    await expectError(await put(1, 0, bytes), 400, "the part ends at");
    await expectError(await put(0, 0, new Uint8Array(IMPORT_PART_BYTES_MAX + 1)), 413, String(IMPORT_PART_BYTES_MAX));
    const first = bytes.subarray(0, IMPORT_PART_BYTES_MIN);
    for (let times = 0; times < 2; times++)
      expect(await bodyOf(await put(0, 0, first))).toMatchObject({ files: [{ received: IMPORT_PART_BYTES_MIN }, { received: 0 }] });
    await target.restart();
    expect(await getImport(target, headers, id)).toMatchObject({ state: "receiving", files: [{ received: IMPORT_PART_BYTES_MIN }, {}] });
    expect(await bodyOf(await put(0, IMPORT_PART_BYTES_MIN, bytes.subarray(IMPORT_PART_BYTES_MIN)))).toMatchObject({ state: "receiving" });
    await sendParts(target, headers, id, { "a.log": bytes, "b.log": LOG });
    await expectError(await put(0, 0, first), 409, "is reading, and not receiving");
    await target.close();
  });

  it("does not take a part that comes when another client has completed it, or after its end", async () => {
    const { target, headers, objects } = await opened();
    const files = { "access.log": LOG };
    const other = new TextEncoder().encode(LOG.replaceAll("/a", "/x"));
    const { import_id: id } = await beginUpload(target, headers, SITE, files);
    const { signal } = new AbortController();
    const latePart = () => {
      let arrive = () => {};
      const bytes = new Promise<Uint8Array>((resolve) => (arrive = () => resolve(other)));
      const answer = target.services.imports?.putPart(id, 0, 0, () => bytes, signal);
      return { arrive, answer: expect(answer).rejects.toThrow(/is (reading|shown), and not receiving/) };
    };
    const [second, third] = [latePart(), latePart()];
    await sendParts(target, headers, id, files);
    second.arrive();
    await second.answer;
    await whenRead(target);
    expect(await confirm(target, headers, id)).toMatchObject({ state: "shown", events: 4 });
    third.arrive();
    await third.answer;
    expect(await objects.list("imports"), "uploaded files").toEqual([]);
    await target.close();
  });

  it("is read if its last part is there, also if the process died right after it", async () => {
    const { target, headers, objects } = await opened();
    const { import_id: id } = await beginUpload(target, headers, SITE, { "access.log": LOG });
    await objects.put(`imports/${id}/files/0/0`, new TextEncoder().encode(LOG));
    await target.crash();
    await whenRead(target);
    expect(await getImport(target, headers, id)).toMatchObject({ state: "ready" });
    await target.close();
  });

  it("is not deleted while its parts still come, however slowly", async () => {
    const { target, headers, ask } = await opened();
    const first = new Uint8Array(IMPORT_PART_BYTES_MIN).fill(32);
    const { import_id: id } = await beginUpload(target, headers, SITE, { "a.log": new Uint8Array(2 * IMPORT_PART_BYTES_MIN) });
    for (let days = 0; days < 2 * IMPORT_WAITING_DAYS; days += IMPORT_WAITING_DAYS - 1) {
      await bodyOf(await ask(`/${id}/files/0?offset=0`, "PUT", first));
      await target.advance((IMPORT_WAITING_DAYS - 1) * 86_400_000);
      await whenRead(target);
    }
    expect(await getImport(target, headers, id)).toMatchObject({ state: "receiving" });
    await target.advance(2 * 86_400_000);
    await whenRead(target);
    await expectError(await ask(`/${id}`), 404, "There is no import");
    await target.close();
  });

  it("ends where own events begin, which count once", async () => {
    const { target, headers, report } = await opened({ startMs: Date.parse("2026-02-01T08:30:00Z") });
    await record(target, wireEvent(SITE));
    await target.flush();
    const ready = await upload(target, headers, SITE, { "access.log": LOG });
    expect(ready.manifest).toMatchObject({ cut_off: { first_own_date: "2026-02-01", ends_at: "2026-02-01T08:30:00.000Z" }, own_days: 1 });
    expect((await confirm(target, headers, 1)).reconciliation).toEqual([
      { month: "2026-01", measure: "pageviews", source: 2, imported: 2, difference: 0, reasons: [] },
      expect.objectContaining({
        source: 2,
        imported: 1,
        difference: 1,
        reasons: [expect.objectContaining({ reason: "own_day", count: 1 })],
      }),
    ]);
    expect(await report()).toContain('"total_pageviews":4');
    await target.close();
  });

  it("ends with the first own event if that comes after the manifest", async () => {
    const { target, headers, report } = await opened({ startMs: Date.parse("2026-02-01T08:30:00Z") });
    const { manifest } = await upload(target, headers, SITE, { "access.log": LOG });
    expect(manifest).toMatchObject({ cut_off: null });
    await record(target, wireEvent(SITE));
    const shown = await confirm(target, headers, 1);
    expect(shown.manifest?.cut_off).toMatchObject({
      first_own_date: "2026-02-01",
      reason: expect.stringContaining("have begun") as unknown,
    });
    expect(shown.reconciliation).toMatchObject([
      { month: "2026-01", imported: 2 },
      { imported: 1, reasons: [{ reason: "own_day", count: 1 }] },
    ]);
    expect(await report()).toContain('"total_pageviews":4');
    await target.close();
  });

  it("counts each event of overlapping exports once, and refuses the same content", async () => {
    const { target, headers, ask, report } = await opened();
    const rows = Array.from({ length: 6 }, (_, i) => [`2026-01-0${i + 1}T10:00:00`, `/${i}`, `id-${i}`] as const);
    const upTo4 = { "a.csv": datapoints([...rows.slice(0, 4), ...rows.slice(3, 4)]) };
    await upload(target, headers, SITE, upTo4);
    const first = await confirm(target, headers, 1);
    expect(first).toMatchObject({
      events: 4,
      reconciliation: [{ source: 5, imported: 4, reasons: [{ reason: "already_imported", count: 1 }] }],
    });

    const again = await upload(target, headers, SITE, { "renamed.csv": upTo4["a.csv"] });
    expect(again).toMatchObject({ state: "failed", failure: "The same files are already imported as #1." });
    await expectError(await ask("/2/confirm", "POST"), 409, "already imported as #1");
    await bodyOf(await ask("/2", "DELETE"));

    await target.restart();
    await bodyOf(await ask("/1/hide", "POST"));
    const later = await upload(target, headers, SITE, { "b.csv": datapoints(rows.slice(2)) });
    expect(later.manifest?.overlaps).toEqual([{ import_id: 1, start_date: "2026-01-03", end_date: "2026-01-04", days: 2, by: "events" }]);
    expect(await confirm(target, headers, later.import_id)).toMatchObject({
      events: 2,
      reconciliation: [{ source: 4, imported: 2, difference: 2, reasons: [{ reason: "already_imported", count: 2 }] }],
    });
    await bodyOf(await ask("/1/show", "POST"));
    expect(await report()).toContain('"total_pageviews":6');
    await target.close();
  });

  it("forgets which events it had of days that are erased", async () => {
    const { target, headers, objects } = await opened();
    const rows = Array.from({ length: 3 }, (_, i) => [`2026-01-0${i + 1}T10:00:00`, `/${i}`, `id-${i}`] as const);
    await upload(target, headers, SITE, { "a.csv": datapoints(rows) });
    await confirm(target, headers, 1);
    const erase = `/api/gdpr/erase?site_id=${SITE}&start_date=2026-01-01&end_date=2026-01-02`;
    await bodyOf(await target.fetch(erase, { method: "DELETE", headers }));
    expect((await objects.list("imports")).map(({ key }) => key)).toEqual(["imports/1/identities/2026-01-03/2"]);
    await upload(target, headers, SITE, { "b.csv": datapoints([...rows, ["2026-01-04T10:00:00", "/4", "id-4"]]) });
    expect(await confirm(target, headers, 2), "the erased days and the new one").toMatchObject({ events: 3 });
    await target.close();
  });

  it("leaves out days of other imports whose events cannot be told from its own", async () => {
    const { target, headers, report } = await opened();
    await upload(target, headers, SITE, { "access.log": LOG });
    await confirm(target, headers, 1);
    const next = [logLine("2026-02-01T23:00:00", "/z"), logLine("2026-02-02T01:00:00", "/z")].join("");
    const ready = await upload(target, headers, SITE, { "access.log": next });
    expect(ready.manifest?.overlaps).toEqual([{ import_id: 1, start_date: "2026-02-01", end_date: "2026-02-01", days: 1, by: "days" }]);
    expect((await confirm(target, headers, 2)).reconciliation).toMatchObject([
      { imported: 1, reasons: [{ reason: "imported_day", count: 1 }] },
    ]);
    expect(await report()).toContain('"total_pageviews":5');
    await target.close();
  });

  const NOTHING: Readonly<Record<string, readonly [Files, string]>> = {
    "of an unknown format": [{ "a.txt": "hello" }, "Not in a format that Sandpiper knows."],
    "without a hit": [{ "a.log": logLine("2026-01-01T00:00:00", "/", { userAgent: BOT }) }, "no page view and no event"],
  };
  it.each(Object.entries(NOTHING))("fails if the files are %s", async (_name, [files, failure]) => {
    const { target, headers, ask, objects } = await opened({ startMs: Date.parse("2026-06-01T00:00:00Z") });
    const failed = await upload(target, headers, SITE, files);
    expect(failed).toMatchObject({ state: "failed", failure: expect.stringContaining(failure) as unknown });
    expect(failed.manifest).not.toBeNull();
    await expectError(await ask("/1/confirm", "POST"), 409, failure);
    expect(await objects.list("imports")).toEqual([]);
    expect(await bodyOf(await ask("/1", "DELETE"))).toEqual({ status: "deleted" });
    await target.close();
  });

  it("is refused if its body, the site or the room is wrong", async () => {
    const { target, headers, ask } = await opened();
    const begin = (body: unknown) => ask("", "POST", JSON.stringify(body));
    const files = [{ name: "a", bytes: 1 }];
    await expectError(await begin({ site_id: SITE }), 422, '"files"');
    await expectError(await begin({ site_id: "a b", files }), 400, '"site_id"');
    await expectError(await begin({ site_id: SITE, files: [] }), 400, '"files"');
    await expectError(await begin({ site_id: SITE, files: [{ name: "", bytes: 1 }] }), 400, "files[0].name");
    await expectError(await begin({ site_id: SITE, files: [{ name: "a", bytes: 1.5 }] }), 400, "files[0].bytes");
    await expectError(await begin({ site_id: SITE, files: [{ name: "a", bytes: 0 }] }), 400, "not empty");
    await expectError(await begin({ site_id: "demo.example", files }), 403, "demo site");
    const two = Array.from({ length: 2 }, () => ({ name: "a", bytes: 15 * 1024 ** 3 }));
    await expectError(await begin({ site_id: SITE, files: two }), 400, "bytes together");
    for (let i = 0; i < IMPORTS_WAITING_MAX; i++) await beginUpload(target, headers, SITE, { a: `${i}` });
    await expectError(await begin({ site_id: SITE, files }), 409, `${IMPORTS_WAITING_MAX} imports wait`);
    await target.close();
  });

  it("is deleted with its files if nobody confirms it, and with its site", async () => {
    const { target, headers, objects } = await opened();
    await upload(target, headers, SITE, { "a.log": LOG });
    await upload(target, headers, SITE, { "b.log": logLine("2026-01-01T00:00:00", "/") });
    await confirm(target, headers, 2);
    await target.advance((IMPORT_WAITING_DAYS + 1) * 86_400_000);
    await target.services.imports?.job.settled();
    expect(await bodyOf(await askImports(target, headers, ""))).toMatchObject([{ import_id: 2, state: "shown" }]);
    expect(await objects.list("imports")).toEqual([]);
    const deletion = { method: "POST", headers, body: JSON.stringify({ confirm: SITE }) };
    expect(await bodyOf(await target.fetch(`/api/sites/${SITE}/delete`, deletion))).toMatchObject({ imports_deleted: 1 });
    expect([await objects.list("events"), await bodyOf(await askImports(target, headers, ""))]).toEqual([[], []]);
    await target.close();
  });

  it("is deleted while it runs, and when its files are gone", async () => {
    const { target, headers, ask, objects } = await opened();
    await upload(target, headers, SITE, { "a.log": LOG });
    await bodyOf(await ask("/1/confirm", "POST"));
    target.services.tick();
    expect(await bodyOf(await ask("/1", "DELETE"))).toEqual({ status: "deleted" });
    expect(await objects.list("events")).toEqual([]);
    await upload(target, headers, SITE, { "a.log": LOG });
    await target.crash();
    for (const { key } of await objects.list("imports")) await objects.delete(key);
    await target.advance(1000);
    await target.services.imports?.job.settled();
    expect(await bodyOf(await ask(""))).toEqual([]);
    await target.close();
  });
});
