/** What the command `export` writes of a folder that is being served equals the reports over HTTP. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { parquetReadObjects } from "hyparquet";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openStores } from "../../adapters/node/data-dir/data-dir.ts";
import { exportFolder, type FolderExportFormat } from "../../adapters/node/exports/export-folder.ts";
import { nodeFileSystem } from "../../adapters/node/files/file-system.ts";
import type { ArchiveMaker } from "../../src/runtime/exports/site-exports.ts";
import { backUp } from "../../src/runtime/upkeep/backup.ts";
import { isLocalDate } from "../../src/storage/event.ts";
import { archiveMakerIn } from "../support/archive-maker.ts";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";
import { addItem, askCollection } from "../support/collections.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { memoryStores, type Stores } from "../support/mortal-stores.ts";
import { reportRequests } from "../support/report-requests.ts";
import { getBreakdown, getMain, getStats, record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { visitor } from "../support/stats-requests.ts";
import type { Target, TargetRequest } from "../support/target.ts";
import { makeTempFolder, removeFolder, tempFolder } from "../support/temp-folder.ts";
import { askImports, confirm, type Files, type ImportJson, logLine, upload } from "../support/uploads.ts";

const SITE = "exports.test";
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = ["2026-03-15", "2026-03-16", "2026-03-17"];
const RANGE = { start_date: DAYS[0] ?? "", end_date: DAYS[2] ?? "" };

const GOALS = [
  { name: "Sign-ups", event: "Signup", revenue: true },
  { name: "Prices", page: "/pric*" },
  { name: "Never", page: "/never" },
];

type Row = Readonly<Record<string, string>>;

/** Rows of a CSV file by column, and its header. */
function csvRows(text: string): { readonly header: string; readonly rows: readonly Row[] } {
  const [header = "", ...lines] = text.trimEnd().split("\n");
  const columns = header.split(",");
  const rows = lines.map((line) => {
    const cells = Array.from(
      line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g),
      ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "",
    );
    expect(cells).toHaveLength(columns.length);
    return Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? ""]));
  });
  return { header, rows };
}

const sumOf = (rows: readonly Row[], column: string): number => rows.reduce((sum, row) => sum + Number(row[column]), 0);

/** Sums of columns by the value of another one, without those of an empty value. */
const sumsBy = (rows: readonly Row[], by: string, columns: readonly string[]) =>
  Object.fromEntries(
    [...new Set(rows.map((row) => row[by] ?? ""))]
      .filter((value) => value !== "")
      .map((value) => {
        const ofValue = rows.filter((row) => row[by] === value);
        return [value, Object.fromEntries(columns.map((column) => [column, sumOf(ofValue, column)]))];
      }),
  );

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

describe("exports of a folder that is being served", () => {
  let target: InProcessTarget;
  /** With the session of an administrator. */
  let reader: Target;
  let dataDir: string;
  let data: Stores;
  let owner: RequestHeaders;

  const exported = async (format: FolderExportFormat): Promise<string> => {
    const out = await tempFolder();
    const config = { dataDir, sessionWindowMinutes: 30, engineMemoryMb: 64 };
    const options = { formats: [format], siteId: null, from: null, to: null, openEngine: createEngineShare };
    expect(await exportFolder(config, out, options)).toMatchObject({ succeeded: true });
    return out;
  };

  const archiveOf = async (format: "plausible" | "reports"): Promise<ReadonlyMap<string, ReturnType<typeof csvRows>>> => {
    const out = await exported(format);
    const bytes = await readFile(join(out, `${format}/site_id=${SITE}/${DAYS[0]}_${DAYS[2]}.zip`));
    return new Map(Object.entries(unzipSync(bytes)).map(([name, file]) => [name, csvRows(new TextDecoder().decode(file))]));
  };

  beforeAll(async () => {
    dataDir = await makeTempFolder();
    const { objects, records, segmentLog } = await openStores(dataDir, "off", nodeFileSystem);
    data = { objects, records, segmentLog };
    target = await createInProcessTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" }, data);
    const view = (path: string, more: object = {}) => wireEvent(SITE, { u: `https://page.test${path}`, ...more });
    for (const day of [0, 1, 2]) {
      await record(target, view("/?utm_source=mail&utm_campaign=spring", { r: "https://www.google.com/search" }), visitor(1));
      await record(target, view("/docs", { r: "https://news.test/x?y=1" }), visitor(2));
      await record(target, view("/=cmd"), visitor(3));
      await target.advance(MINUTE_MS + 400);
      await record(target, view("/docs", { e: 30 }), visitor(1));
      await record(target, view("/docs", { n: "Signup", p: '{"plan":"pro","size":1}', ra: 29.9, rc: "EUR" }), visitor(1));
      await record(target, view("/docs", { n: "Outbound Link: Click", p: '{"url":"https://elsewhere.test/a"}' }), visitor(2));
      await record(target, view("/docs", { n: "Outbound Link: Click" }), visitor(2));
      // The visit of a second that begins after half an hour.
      await target.advance(40 * MINUTE_MS);
      await record(target, view("/pricing"), visitor(1));
      // The last day stays in the journal.
      if (day < 2) {
        await target.flush();
        await target.advance(DAY_MS - 41 * MINUTE_MS - 400);
      }
    }
    owner = await logIn(target);
    reader = { ...target, fetch: (path, init = {}) => target.fetch(path, { ...init, headers: owner }) };
    for (const goal of GOALS) await addItem(target, "goals", SITE, owner, goal);
  });
  afterAll(async () => {
    await target.close();
    await removeFolder(dataDir);
  });

  it("Parquet files have every event, flushed or not, with its visitor", async () => {
    const out = await exported("parquet");
    const names = (await filesBelow(out)).filter((name) => name.endsWith(".parquet"));
    expect(names.map((name) => name.replace(/\d+-\d+(?=\.)/, "…")).sort()).toEqual(
      DAYS.map((day) => `events/site_id=${SITE}/date=${day}/….parquet`),
    );
    const events: Record<string, unknown>[] = [];
    for (const name of names) {
      const bytes = await readFile(join(out, name));
      events.push(
        ...(await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer })),
      );
    }
    const main = await getMain(reader, SITE, RANGE);
    expect(events).toHaveLength(main.total_events);
    expect(events.filter((event) => event["event_name"] === "pageview")).toHaveLength(main.total_pageviews);
    expect(new Set(events.map((event) => event["visitor_id"])).size).toBe(main.unique_visitors);
  });

  it("CSV and JSON lines have the same rows, with the documented header", async () => {
    const [csv, jsonl] = [await exported("csv"), await exported("jsonl")];
    for (const day of DAYS) {
      const { header, rows } = csvRows(await readFile(join(csv, `csv/site_id=${SITE}/${day}.csv`), "utf8"));
      expect(header).toBe(
        "date,event_name,pathname,hostname,referrer,referrer_source,country_code,region,city,browser,browser_version,os,os_version," +
          "device_type,screen_size,utm_source,utm_medium,utm_campaign,utm_content,utm_term,props,revenue_amount,currency,visitor_id," +
          "site_id,timestamp,engaged_seconds,click_id,interactive,evidence",
      );
      const lines = (await readFile(join(jsonl, `jsonl/site_id=${SITE}/${day}.jsonl`), "utf8")).trimEnd().split("\n");
      const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const written = (value: unknown): string => (value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
      expect(objects.map((object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, written(value)])))).toEqual(
        rows,
      );
      expect(rows).toHaveLength(8);
      expect(rows.every((row) => row["date"] === day && isLocalDate(day))).toBe(true);
    }
  });

  it("the files for Plausible add up to the reports", async () => {
    const tables = await archiveOf("plausible");
    const table = (name: string): readonly Row[] => tables.get(`imported_${name}_20260315_20260317.csv`)?.rows ?? [];
    expect([...tables].map(([name, { header }]) => `${name.replace(/_\d+_\d+\.csv$/, "")}: ${header}`)).toEqual([
      "imported_visitors: date,visitors,pageviews,bounces,visits,visit_duration",
      "imported_sources: date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces",
      "imported_pages: date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,total_time_on_page,total_time_on_page_visits",
      "imported_entry_pages: date,entry_page,visitors,entrances,visit_duration,bounces,pageviews",
      "imported_exit_pages: date,exit_page,visitors,visit_duration,exits,bounces,pageviews",
      "imported_locations: date,country,region,city,visitors,visits,visit_duration,bounces,pageviews",
      "imported_devices: date,device,visitors,visits,visit_duration,bounces,pageviews",
      "imported_browsers: date,browser,browser_version,visitors,visits,visit_duration,bounces,pageviews",
      "imported_operating_systems: date,operating_system,operating_system_version,visitors,visits,visit_duration,bounces,pageviews",
      "imported_custom_events: date,name,link_url,path,visitors,events",
    ]);
    const main = await getMain(reader, SITE, RANGE);
    const totals = {
      visitors: main.unique_visitors,
      pageviews: main.total_pageviews,
      visits: main.total_sessions,
      bounces: Math.round(Number(main.bounce_rate) * Number(main.total_sessions)),
      visit_duration: Math.round(Number(main.avg_visit_duration_secs) * Number(main.total_sessions) - 3 * 2 * 0.4),
    };
    const columns = ["visitors", "pageviews", "visits", "bounces", "visit_duration"];
    const sums = (rows: readonly Row[]) => Object.fromEntries(columns.map((column) => [column, sumOf(rows, column)]));
    expect(sums(table("visitors"))).toEqual(totals);
    // Visitor 1 comes from nowhere the second time, so that it is in two rows of a day.
    expect(sums(table("sources"))).toEqual({ ...totals, visitors: totals.visitors + 3 });
    for (const name of ["devices", "browsers", "operating_systems"]) expect(sums(table(name)), name).toEqual(totals);
    for (const [name, visits] of [
      ["entry_pages", "entrances"],
      ["exit_pages", "exits"],
    ] as const) {
      const rows = table(name).map((row) => ({ ...row, visits: row[visits] ?? "" }));
      expect(sums(rows), name).toEqual({ ...totals, visitors: totals.visitors + 3 });
    }
    const counts = ["visitors", "pageviews"];
    const asReported = async (dimension: string) =>
      Object.fromEntries(
        (await getBreakdown(reader, SITE, dimension, RANGE))
          .filter(({ value, pageviews }) => value !== "(unknown)" && pageviews > 0)
          .map(({ value, visitors, pageviews }) => [value, { visitors, pageviews }]),
      );
    expect(sumsBy(table("pages"), "page", counts)).toEqual(await asReported("pages"));
    expect(sumOf(table("pages"), "total_time_on_page")).toBe(90);
    expect(sumsBy(table("sources"), "source", counts)).toEqual(await asReported("visit-sources"));
    expect(sumsBy(table("sources"), "referrer", ["visits"])).toEqual({
      "google.com/search": { visits: 3 },
      "news.test/x?y=1": { visits: 3 },
    });
    expect(table("custom_events").filter((row) => row["date"] === DAYS[0])).toEqual([
      { date: DAYS[0], name: "Outbound Link: Click", link_url: "", path: "", visitors: "1", events: "1" },
      { date: DAYS[0], name: "Outbound Link: Click", link_url: "https://elsewhere.test/a", path: "", visitors: "1", events: "1" },
      { date: DAYS[0], name: "Signup", link_url: "", path: "", visitors: "1", events: "1" },
    ]);
  });

  it("every report has a file whose days add up to its answer", async () => {
    const tables = await archiveOf("reports");
    const rows = (name: string): readonly Row[] => tables.get(`${name}.csv`)?.rows ?? [];
    const main = await getMain(reader, SITE, RANGE);
    expect(rows("visits").map((row) => row["date"])).toEqual(DAYS);
    expect(sumOf(rows("visits"), "visitors")).toBe(main.unique_visitors);
    expect(sumOf(rows("visits"), "events")).toBe(main.total_events);
    expect(sumOf(rows("visits"), "sessions")).toBe(main.total_sessions);
    expect(sumOf(rows("visits"), "visit_duration_secs") / Number(main.total_sessions)).toBeCloseTo(Number(main.avg_visit_duration_secs), 9);
    expect(sumOf(rows("hours"), "pageviews")).toBe(main.total_pageviews);
    expect(rows("hours").map((row) => row["hour"])).toEqual(DAYS.flatMap(() => ["12:00"]));
    for (const dimension of ["pages", "sources", "countries", "browsers", "events", "entry-pages", "exit-pages", "visit-channels"]) {
      const reported = await getBreakdown(reader, SITE, dimension, { ...RANGE, columns: "sessions" });
      const sums = sumsBy(rows(dimension), "value", ["visitors", "pageviews", "events", "sessions"]);
      // A cell that a spreadsheet would run begins with an apostrophe.
      expect(sums, dimension).toEqual(Object.fromEntries(reported.map(({ value, ...numbers }) => [value, numbers])));
    }
    const goals = await getStats<{ name: string; visitors: number; events: number }[]>(reader, "goals", { site_id: SITE, ...RANGE });
    expect(sumsBy(rows("goals"), "name", ["visitors", "events"])).toEqual(
      Object.fromEntries(goals.map(({ name, visitors, events }) => [name, { visitors, events }])),
    );
    const conversions = await getStats<{ name: string; visitors: number; events: number }[]>(reader, "conversions", {
      ...{ site_id: SITE, ...RANGE },
    });
    expect(conversions).toHaveLength(3);
    expect(sumsBy(rows("conversions"), "goal", ["visitors", "events"])).toEqual(
      Object.fromEntries(conversions.map(({ name, visitors, events }) => [name, { visitors, events }])),
    );
    expect(rows("conversions-revenue")).toEqual(
      DAYS.map((date) => ({ date, goal: "Sign-ups", currency: "EUR", total: "29.9", transactions: "1" })),
    );
    expect(rows("property-values").filter((row) => row["date"] === DAYS[0])).toEqual([
      { date: DAYS[0], property: "plan", value: "pro", visitors: "1", events: "1" },
      { date: DAYS[0], property: "size", value: "1", visitors: "1", events: "1" },
      { date: DAYS[0], property: "url", value: "https://elsewhere.test/a", visitors: "1", events: "1" },
    ]);
    expect(rows("revenue")).toEqual(
      DAYS.map((date) => ({ date, currency: "EUR", total: "29.9", transactions: "1", paying_visitors: "1" })),
    );
  });

  /** The answer of each report, by its request, of an instance that has the goals of the first one. */
  async function reportsOf(asked: Target): Promise<Readonly<Record<string, string>>> {
    const texts = { page: "/docs", event: "Signup", property: "plan", value: "pr", source: "Google" };
    const answers: Record<string, string> = {};
    for (const [path, requests] of Object.entries(reportRequests(texts))) {
      for (const { dimension = "", ...parameters } of requests) {
        // It is of the present.
        if (path.endsWith("/realtime") || path.endsWith("/progress")) continue;
        const query = new URLSearchParams({ site_id: SITE, ...RANGE, ...parameters });
        const response = await asked.fetch(`${path.replace(":dimension", dimension)}?${query.toString()}`);
        // Goals have ids of their instance.
        const text = (await response.text()).replaceAll(/"id":"[0-9a-f]{32}",/g, "");
        answers[`${path} ${dimension} ${JSON.stringify(parameters)}`] = `${response.status} ${text}`;
      }
    }
    return answers;
  }

  /** Imports files into an instance of its own, and hands that to the task. */
  async function withImported(files: Files, task: (imported: ImportJson, other: Target) => Promise<void>): Promise<void> {
    const objects = createMemoryObjectStore();
    const other = await createInProcessTarget(
      { ...CLOSED, SVC_TRUST_PROXY: "1" },
      { objects, startMs: Date.parse("2026-04-01T12:00:00Z") },
    );
    const session = await logIn(other);
    for (const goal of GOALS) await addItem(other, "goals", SITE, session, goal);
    const { import_id: id } = await upload(other, session, SITE, files);
    const imported = await confirm(other, session, id);
    await task(imported, { ...other, fetch: (path, init = {}) => other.fetch(path, { ...init, headers: session }) });
    await other.close();
  }

  it.each(["parquet", "jsonl", "csv"] as const)(
    "%s: another instance that imports the files answers every report alike",
    async (format) => {
      const out = await exported(format);
      const names = (await filesBelow(out)).filter((name) => name.endsWith(`.${format}`)).sort();
      const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(out, name))] as const)));
      await withImported(files, async (imported, other) => {
        expect(imported).toMatchObject({ state: "shown", events: 24, product: "Sandpiper" });
        expect(imported.reconciliation?.map(({ difference }) => difference)).toEqual([0, 0]);
        expect(await reportsOf(other)).toEqual(await reportsOf(reader));
      });
    },
  );

  it("another instance reads the files for Plausible, with the totals of the reports", async () => {
    const out = await exported("plausible");
    const files = { "export.zip": await readFile(join(out, `plausible/site_id=${SITE}/${DAYS[0]}_${DAYS[2]}.zip`)) };
    const main = await getMain(reader, SITE, RANGE);
    await withImported(files, async (imported, other) => {
      expect(imported).toMatchObject({ state: "shown", product: "Plausible", days: 3 });
      expect(imported.reconciliation?.map(({ difference }) => difference).filter((difference) => difference !== 0)).toEqual([]);
      const of = await getMain(other, SITE, RANGE);
      // Seconds of visits are whole in the files.
      const { avg_visit_duration_secs: durationSecs, ...totals } = of;
      expect({ ...totals, coverage: undefined }).toMatchObject({
        unique_visitors: main.unique_visitors,
        total_pageviews: main.total_pageviews,
        total_sessions: main.total_sessions,
        bounce_rate: main.bounce_rate,
        views_per_visit: main.views_per_visit,
      });
      expect(durationSecs).toBeCloseTo(Number(main.avg_visit_duration_secs), 0);
      const numbers = async (asked: Target, dimension: string) =>
        (await getBreakdown(asked, SITE, dimension, RANGE)).map(({ value, visitors, pageviews }) => ({ value, visitors, pageviews }));
      for (const dimension of ["browsers", "os", "devices"])
        expect(await numbers(other, dimension), dimension).toEqual(await numbers(reader, dimension));
    });
  });

  it("a rule takes no event from exports, archives and backups, and a backup has the rule", async () => {
    const path = `/api/stats/export?site_id=${SITE}&kind=raw&format=json&lens=everything&${new URLSearchParams(RANGE).toString()}`;
    const all = async () => {
      const jsonl = await exported("jsonl");
      const days = DAYS.map((day) => readFile(join(jsonl, `jsonl/site_id=${SITE}/${day}.jsonl`), "utf8"));
      return [...(await Promise.all(days)), await (await reader.fetch(path)).text(), [...(await archiveOf("reports"))]];
    };
    const before = await all();
    const counted = await getMain(reader, SITE, RANGE);
    const { id } = await addItem(target, "rules", SITE, owner, { name: "All", filters: "pages!=/nowhere", spares_people: false });
    expect(await getMain(reader, SITE, RANGE)).toMatchObject({ total_events: 0 });
    expect(await all()).toEqual(before);

    const copy = memoryStores();
    await backUp(data, {
      ...copy,
      async copyObject(key) {
        const bytes = await data.objects.get(key);
        if (bytes !== null) await copy.objects.put(key, bytes);
        return bytes !== null;
      },
    });
    const restored = await createInProcessTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" }, { ...copy, startMs: target.nowMs() });
    const headers = await logIn(restored);
    const asked: Target = { ...restored, fetch: (to, init = {}) => restored.fetch(to, { ...init, headers }) };
    expect(await getMain(asked, SITE, RANGE)).toMatchObject({ total_events: 0 });
    expect(await getMain(asked, SITE, { ...RANGE, lens: "everything" })).toEqual(counted);
    await restored.close();

    await bodyOf(await askCollection(target, "rules", SITE, owner, { method: "DELETE", id }));
    expect(await getMain(reader, SITE, RANGE)).toEqual(counted);
  });

  it("events of a hidden import are in no export", async () => {
    const folder = await makeTempFolder();
    const stores = await openStores(folder, "off", nodeFileSystem);
    const other = await createInProcessTarget(CLOSED, { ...stores, startMs: Date.parse("2026-04-01T12:00:00Z") });
    const session = await logIn(other);
    await record(other, wireEvent(SITE));
    const { import_id: id } = await upload(other, session, SITE, { "access.log": logLine("2026-03-15T10:00:00", "/a") });
    await confirm(other, session, id);
    const datesOf = async () => {
      const out = await tempFolder();
      const config = { dataDir: folder, sessionWindowMinutes: 30, engineMemoryMb: 64 };
      await exportFolder(config, out, { formats: ["csv"], siteId: null, from: null, to: null, openEngine: createEngineShare });
      return (await filesBelow(out)).flatMap((name) => /([\d-]+)\.csv$/.exec(name)?.[1] ?? []).sort();
    };
    expect(await datesOf()).toEqual(["2026-03-15", "2026-04-01"]);
    await bodyOf(await askImports(other, session, `/${id}/hide`, { method: "POST" }));
    expect(await datesOf()).toEqual(["2026-04-01"]);
    await other.close();
    await removeFolder(folder);
  });
});

describe("archives of a site over HTTP", () => {
  interface ExportJson {
    readonly export_id: string;
    readonly state: string;
    readonly failure: string | null;
    readonly bytes: number | null;
  }

  const GIB = 1024 ** 3;
  let folder: string;
  let target: InProcessTarget;
  let free: number | Promise<number> = Infinity;
  let session: RequestHeaders;
  /** Lets go on what waits in the maker; set while it waits. */
  let goOn: (() => void) | null = null;
  let isHeld = false;
  /** Archives cannot be removed. */
  let isStuck = false;
  /** Called when the free bytes are asked for. */
  let onAsked: (() => void) | null = null;
  /** Happens once, before a file of events is deleted. */
  let beforeDelete: (() => Promise<unknown>) | null = null;

  const ask = (path = "", init: TargetRequest = {}) => target.fetch(`/api/exports${path}`, { headers: session, ...init });
  const begin = (asked: object) => ask("", { method: "POST", body: JSON.stringify({ site_id: SITE, ...asked }) });

  async function made(asked: object): Promise<ExportJson> {
    const { export_id: id } = await bodyOf<ExportJson>(await begin(asked), 201);
    await target.services.siteExports?.settled();
    return bodyOf(await ask(`/${id}`));
  }

  const download = async ({ export_id: id }: ExportJson) => new Uint8Array(await (await ask(`/${id}/file`)).arrayBuffer());

  beforeAll(async () => {
    folder = await makeTempFolder();
    const { objects, records, segmentLog } = await openStores(folder, "off", nodeFileSystem);
    const observed: typeof objects = {
      ...objects,
      async delete(key) {
        const happens = beforeDelete;
        beforeDelete = null;
        await happens?.();
        return objects.delete(key);
      },
    };
    const maker = await archiveMakerIn(folder);
    const held: ArchiveMaker = {
      ...maker,
      async make(id, asked, signal) {
        if (isHeld)
          await new Promise<void>((resolve, reject) => {
            goOn = resolve;
            signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
          });
        return maker.make(id, asked, signal);
      },
      remove: (id) => (isStuck ? Promise.reject(new Error("stuck")) : maker.remove(id)),
    };
    const parts = { objects: observed, records, segmentLog, archiveMaker: held, freeBytes: async () => (onAsked?.(), free) };
    target = await createInProcessTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" }, parts);
    for (const day of [0, 1]) {
      await record(target, wireEvent(SITE, { u: `https://page.test/${day}` }), visitor(1));
      await record(target, wireEvent(SITE, { u: "https://page.test/" }), visitor(2));
      await target.flush();
      if (day === 0) await target.advance(DAY_MS);
    }
    session = await logIn(target);
  });
  afterEach(async () => {
    [isHeld, free, onAsked] = [false, Infinity, null];
    for (const { export_id: id } of await bodyOf<ExportJson[]>(await ask())) await bodyOf(await ask(`/${id}`, { method: "DELETE" }));
    expect(await readdir(join(folder, "downloads"))).toEqual([]);
  });
  afterAll(async () => {
    await target.close();
    await removeFolder(folder);
  });

  it("have what the command writes, of the days that were asked for", async () => {
    const all = await made({ format: "csv" });
    expect(all).toMatchObject({ state: "ready", failure: null });
    const response = await ask(`/${all.export_id}/file`);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="sandpiper-${SITE}-csv.zip"`);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(bytes).toHaveLength(all.bytes ?? 0);
    expect(Object.keys(unzipSync(bytes)).sort()).toEqual(DAYS.slice(0, 2).map((day) => `csv/site_id=${SITE}/${day}.csv`));
    const second = await made({ format: "jsonl", start_date: DAYS[1], end_date: DAYS[1] });
    expect(Object.keys(unzipSync(await download(second)))).toEqual([`jsonl/site_id=${SITE}/${DAYS[1]}.jsonl`]);
    for (const text of [...Object.values(unzipSync(bytes)), ...Object.values(unzipSync(await download(second)))])
      expect(new TextDecoder().decode(text)).not.toContain("visitor_id");
    // A ZIP of tables is not packed into another one.
    for (const format of ["plausible", "reports"]) {
      const names = Object.keys(unzipSync(await download(await made({ format }))));
      expect(names.length).toBeGreaterThanOrEqual(10);
      expect(names.every((name) => name.endsWith(".csv"))).toBe(true);
    }
    const everything = Object.keys(unzipSync(await download(await made({ format: "all" })))).map((name) => name.split("/")[0]);
    expect(new Set(everything)).toEqual(new Set(["csv", "jsonl", "plausible", "reports"]));
    expect(await readdir(join(folder, "downloads"))).toHaveLength(5);
    expect((await begin({ format: "csv" })).status).toBe(409);
  });

  it("of days without events fail with the reason", async () => {
    expect(await made({ format: "csv", start_date: "2020-01-01", end_date: "2020-01-02" })).toMatchObject({
      state: "failed",
      failure: "there are no events on these days",
      bytes: null,
    });
  });

  it("are refused for a site without events, dates that do not exist or are in the wrong order", async () => {
    const refused = async (asked: object) => {
      const response = await begin({ format: "csv", ...asked });
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    expect(await refused({ site_id: "nothing.test" })).toEqual([400, 'Field "site_id" must be a site that has events']);
    expect(await refused({ start_date: DAYS[1], end_date: DAYS[0] })).toEqual([400, 'Field "end_date" must not be before "start_date"']);
    expect(await refused({ end_date: "2026-02-30" })).toEqual([
      400,
      'Field "end_date" must be a real calendar date in the form YYYY-MM-DD, got "2026-02-30"',
    ]);
  });

  it("are made one at a time, and one that is deleted meanwhile leaves nothing", async () => {
    isHeld = true;
    const first = await bodyOf<ExportJson>(await begin({ format: "csv" }), 201);
    expect((await begin({ format: "csv" })).status).toBe(409);
    expect((await ask(`/${first.export_id}/file`)).status).toBe(409);
    await bodyOf(await ask(`/${first.export_id}`, { method: "DELETE" }));
    expect((await ask(`/${first.export_id}`)).status).toBe(404);
    const second = await bodyOf<ExportJson>(await begin({ format: "csv" }), 201);
    goOn?.();
    await target.services.siteExports?.settled();
    expect(await bodyOf(await ask(`/${second.export_id}`))).toMatchObject({ state: "ready" });
  });

  it("are neither begun nor gone on with where they would fill the disk", async () => {
    free = 1.5 * GIB;
    expect((await begin({ format: "csv" })).status).toBe(409);
    free = 3 * GIB;
    isHeld = true;
    const { export_id: id } = await bodyOf<ExportJson>(await begin({ format: "csv" }), 201);
    await target.advance(1000);
    expect(await bodyOf(await ask(`/${id}`))).toMatchObject({ state: "running" });
    free = GIB / 2;
    await target.advance(1000);
    await target.services.siteExports?.settled();
    expect(await bodyOf(await ask(`/${id}`))).toMatchObject({
      state: "failed",
      failure: `The disk has ${GIB / 2} bytes left: export fewer days`,
    });
  });

  it("are deleted after a day, and when events of their site are erased, even if begun meanwhile", async () => {
    const [old, other] = [await made({ format: "csv" }), await made({ format: "jsonl" })];
    // A third one waits for the disk until the first file is about to be deleted.
    let answer: ((bytes: number) => void) | null = null;
    free = new Promise((resolve) => (answer = resolve));
    const isAsked = new Promise<void>((resolve) => (onAsked = resolve));
    const third = begin({ format: "csv" });
    await isAsked;
    beforeDelete = async () => {
      answer?.(Infinity);
      expect((await third).status).toBe(201);
      await target.services.siteExports?.settled();
    };
    const erased = await target.fetch(`/api/gdpr/erase?site_id=${SITE}&start_date=${DAYS[0]}&end_date=${DAYS[0]}`, {
      method: "DELETE",
      headers: session,
    });
    expect(erased.status).toBe(200);
    expect(beforeDelete).toBeNull();
    expect(await bodyOf(await ask())).toEqual([]);
    for (const { export_id: id } of [old, other]) expect((await ask(`/${id}`)).status).toBe(404);
    const last = await made({ format: "csv" });
    await target.advance(DAY_MS);
    session = await logIn(target);
    await expect.poll(async () => (await ask(`/${last.export_id}`)).status).toBe(404);
  });

  const eraseDay = (day: string) =>
    target.fetch(`/api/gdpr/erase?site_id=${SITE}&start_date=${day}&end_date=${day}`, { method: "DELETE", headers: session });

  it("stay when nothing is deleted, and two deletions of one at once are no failure of an erasure", async () => {
    const kept = await made({ format: "csv" });
    expect((await eraseDay("2020-01-01")).status).toBe(200);
    expect((await ask(`/${kept.export_id}`)).status).toBe(200);
    isHeld = true;
    await bodyOf(await begin({ format: "csv" }), 201);
    const [erased, deleted] = await Promise.all([eraseDay(DAYS[1] ?? ""), ask(`/${kept.export_id}`, { method: "DELETE" })]);
    expect([erased.status, deleted.status]).toEqual([200, 200]);
    expect(await bodyOf(await ask())).toEqual([]);
    await record(target, wireEvent(SITE));
  });

  it("that cannot be deleted are not downloaded any more, and are tried again", async () => {
    const { export_id: id } = await made({ format: "csv" });
    isStuck = true;
    expect((await ask(`/${id}`, { method: "DELETE" })).status).toBe(503);
    expect((await ask(`/${id}/file`)).status).toBe(409);
    isStuck = false;
    await target.advance(1000);
    await expect.poll(async () => (await ask(`/${id}`)).status).toBe(404);
  });

  it("are of the site that has the name now, and go when an import is deleted or the site is renamed", async () => {
    const post = (path: string, body: object) => target.fetch(path, { method: "POST", headers: session, body: JSON.stringify(body) });
    const beginOf = async (siteId: string) => {
      const begun = await bodyOf<ExportJson & { site_id: string }>(await post("/api/exports", { site_id: siteId, format: "csv" }), 201);
      await target.services.siteExports?.settled();
      return begun;
    };
    await record(target, wireEvent("old.test"));
    const { import_id: number } = await upload(target, session, "old.test", { "access.log": logLine("2026-03-10T10:00:00", "/a") });
    await confirm(target, session, number);
    await beginOf("old.test");
    await bodyOf(await askImports(target, session, `/${number}`, { method: "DELETE" }));
    expect(await bodyOf(await ask())).toEqual([]);
    await beginOf("old.test");
    await target.flush();
    await bodyOf(await post("/api/sites/old.test/rename", { to: "new.test" }), 200);
    await target.advance(1000);
    await target.services.settled();
    expect(await bodyOf(await ask())).toEqual([]);
    expect(await beginOf("old.test")).toMatchObject({ site_id: "new.test" });
  });

  it("make room when they have failed, and name the sites of the others", async () => {
    const failed = await made({ format: "csv", start_date: "2020-01-01", end_date: "2020-01-02" });
    for (let i = 0; i < 5; i++) expect(await made({ format: "csv" })).toMatchObject({ state: "ready" });
    expect((await ask(`/${failed.export_id}`)).status).toBe(404);
    expect(await bodyOf(await begin({ format: "csv" }), 409)).toEqual({ error: `There are 5 exports, of ${SITE}: delete one` });
  });

  it("a start removes those of before, and nothing else that is in their folder", async () => {
    const [other, id] = [await tempFolder(), "0".repeat(32)];
    for (const name of ["own", `${id}.zip.parts`]) await mkdir(join(other, "downloads", name), { recursive: true });
    await writeFile(join(other, "downloads", `${id}.zip`), "");
    await archiveMakerIn(other);
    expect(await readdir(join(other, "downloads"))).toEqual(["own"]);
  });
});
