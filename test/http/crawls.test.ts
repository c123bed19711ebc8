/** What becomes of counts of crawlers when the service ends, and when days and sites are deleted, renamed and copied. In process. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { backUp } from "../../src/runtime/upkeep/backup.ts";
import { verifyData } from "../../src/runtime/upkeep/verification.ts";
import { bodyOf, CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, type Stores } from "../support/mortal-stores.ts";
import { expectError, record, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { confirm, logLine, upload } from "../support/uploads.ts";
import { read } from "./crawls.suite.ts";

const [SITE, OTHER] = ["one.test", "other.test"];

const DAY_MS = 86_400_000;

interface World {
  readonly target: InProcessTarget;
  readonly stores: Stores;
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  /** Reports one request of today and one of yesterday. */
  report(site?: string): Promise<unknown>;
  /** Reads by date, of all dates with some. */
  reads(site?: string): Promise<Readonly<Record<string, number>>>;
}

async function world(environment: Environment = {}): Promise<World> {
  const stores = memoryStores();
  const target = await createInProcessTarget({ ...CLOSED, ...environment }, stores);
  onTestFinished(() => target.close());
  const headers = withKey((await createKey(target, await logIn(target), "Admin")).key);
  const ask: World["ask"] = (method, path, body) =>
    target.fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return {
    ...{ target, stores, ask },
    async report(site = SITE) {
      const requests = [0, DAY_MS].map((agoMs) => read(target, { name: "GPTBot", agoMs }));
      return bodyOf(await ask("POST", `/api/crawls?site_id=${site}`, { requests }));
    },
    async reads(site = SITE) {
      const path = `/api/stats/crawls?site_id=${site}&start_date=2026-01-01&end_date=2026-12-31`;
      const { days } = await bodyOf<{ days: { date: string; reads: number }[] }>(await ask("GET", path));
      return Object.fromEntries(days.filter((day) => day.reads > 0).map((day) => [day.date, day.reads]));
    },
  };
}

const TWO = { "2026-03-14": 1, "2026-03-15": 1 };

const REPEATED = { counted: 0, repeated: 2, ignored: { unknown: 0, out_of_range: 0 } };

describe("counts of crawlers", () => {
  it("survive a crash after the response, and so do the ids of their batches", async () => {
    const { target, report, reads } = await world();
    await report();
    await target.crash();
    expect(await report()).toEqual(REPEATED);
    expect(await reads()).toEqual(TWO);
  });

  it("are erased with the days of their site, and with a site that has nothing else", async () => {
    const { target, ask, report, reads } = await world();
    for (const site of [SITE, OTHER]) await report(site);
    await bodyOf(await ask("DELETE", `/api/gdpr/erase?site_id=${SITE}&start_date=2026-03-14&end_date=2026-03-14`));
    expect(await reads()).toEqual({ "2026-03-15": 1 });
    await bodyOf(await ask("POST", `/api/sites/${SITE}/delete`, { confirm: SITE }));
    expect(await reads()).toEqual({});
    expect(await reads(OTHER)).toEqual(TWO);
    expect(await target.services.crawls?.counts.sites()).toEqual([OTHER]);
  });

  it("end with the retention of the site, and are not taken later", async () => {
    const { target, ask, report, reads } = await world({ SVC_RETENTION_DAYS: "1" });
    await report();
    await target.advance(DAY_MS);
    await target.services.retention.run();
    expect(await reads()).toEqual({ "2026-03-15": 1 });
    await target.advance(2 * DAY_MS);
    await target.services.retention.run();
    expect(await target.services.crawls?.counts.sites()).toEqual([]);
    const requests = [1, 2].map((days) => read(target, { name: "GPTBot", agoMs: days * DAY_MS }));
    expect(await bodyOf(await ask("POST", `/api/crawls?site_id=${SITE}`, { requests }))).toEqual({
      ...{ counted: 1, repeated: 0 },
      ignored: { unknown: 0, out_of_range: 1 },
    });
  });

  it("are verified by the addresses of their operators, of which none is stored", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "GPTBot.json"), JSON.stringify({ prefixes: [{ ipv4Prefix: "192.0.2.0/28" }] }));
    const { target, stores, ask } = await world({ SVC_CRAWLER_ADDRESSES: folder });
    const claim = (name: string, ip?: string | null) => ({ ...read(target, { name }), ...(ip !== undefined && { ip }) });
    const inside = "192.0.2.7";
    const requests = [claim("GPTBot", inside), claim("GPTBot", inside), claim("GPTBot", "192.0.2.16"), claim("GPTBot", null)];
    const more = [claim("ChatGPT-User", inside), claim("GPTBot", `::ffff:${inside}`), claim("GPTBot", "2001:db8::1"), claim("GPTBot")];
    const send = (sent: readonly unknown[]): Promise<Response> => ask("POST", `/api/crawls?site_id=${SITE}`, { requests: sent });
    expect(await bodyOf(await send([...requests, ...more]))).toMatchObject({ counted: 8 });
    const report = async () => {
      const { crawlers } = await bodyOf<{ crawlers: object[] }>(await ask("GET", `/api/stats/crawls?site_id=${SITE}&period=day`));
      return crawlers;
    };
    expect(await report()).toMatchObject([
      { name: "GPTBot", reads: 7, verified: false, verified_reads: 3 },
      { name: "ChatGPT-User", reads: 1, verified: false, verified_reads: 0 },
    ]);
    // From another address, it is the same batch: its hash leaves addresses out, as all of them could be tried.
    expect(await bodyOf(await send([...requests, ...more].map((each) => ({ ...each, ip: "203.0.113.1" }))))).toMatchObject({ repeated: 8 });

    const [first] = await stores.objects.list("crawls");
    const stored = gunzipSync((await stores.objects.get(first?.key ?? ("" as never))) ?? new Uint8Array()).toString();
    expect(stored).toContain('"verified":"yes"');
    expect(stored).not.toMatch(/192\.0|2001|203\.0/);

    const noAddresses = ["192.0.2", "192.0.2.7:443", "192.0.2.0/28", "192.0.2.7, 192.0.2.7", "unix:", "", "1".repeat(1000)];
    expect(await bodyOf(await send(noAddresses.map((ip) => claim("ClaudeBot", ip))))).toMatchObject({ counted: noAddresses.length });
    expect(await report()).toMatchObject([{ name: "ClaudeBot", verified_reads: 0 }, { name: "GPTBot", verified_reads: 3 }, {}]);
    await expectError(await send([{ ...claim("GPTBot"), ip: 7 }]), 422, /requests\[0\]\.ip/);
  });

  it("of a log are verified by the address of the connection", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "OpenAI.json"), JSON.stringify({ prefixes: [{ ipv4Prefix: "192.0.2.0/28" }] }));
    const { target, ask } = await world({ SVC_CRAWLER_ADDRESSES: folder });
    const headers = withKey((await createKey(target, await logIn(target), "Admin")).key);
    const addresses = ["192.0.2.1", "192.0.2.2", "203.0.113.1"];
    const lines = addresses.map((address) =>
      logLine("2026-03-12T10:00:00", "/docs", { address, userAgent: "Mozilla/5.0 (compatible; GPTBot/1.2)" }),
    );
    await upload(target, headers, SITE, { "access.log": lines.join("") });
    await confirm(target, headers, 1);
    const { crawlers } = await bodyOf<{ crawlers: object[] }>(
      await ask("GET", `/api/stats/crawls?site_id=${SITE}&start_date=2026-03-12&end_date=2026-03-12`),
    );
    expect(crawlers).toMatchObject([{ name: "GPTBot", reads: 3, verified: false, verified_reads: 2 }]);
  });

  it("follow a renamed site, whose batches are known again", async () => {
    const { target, ask, report, reads } = await world();
    await record(target, wireEvent(SITE));
    await report();
    await bodyOf(await ask("POST", `/api/sites/${SITE}/rename`, { to: OTHER }));
    expect(await reads(OTHER)).toEqual(TWO);
    expect(await report()).toEqual(REPEATED);
    expect(await reads(OTHER)).toEqual(TWO);
  });

  it("come with a log, hidden, shown, renamed and deleted with its import, and days that have some are left out", async () => {
    const { target, ask, report, reads } = await world();
    await report();
    const gptbot = { userAgent: "Mozilla/5.0 (compatible; GPTBot/1.2)" };
    const days = ["2026-03-12T10:00:00", "2026-03-13T10:00:00", "2026-03-13T11:00:00", "2026-03-14T10:00:00"];
    const log = days.map((time) => logLine(time, "/docs", gptbot)).join("");
    const headers = withKey((await createKey(target, await logIn(target), "Admin")).key);
    const ready = await upload(target, headers, SITE, { "access.log": log });
    expect(ready.manifest).toMatchObject({ crawls: 4, totals: [], days: 3 });
    expect(await reads()).toEqual(TWO);
    // A server has reported those of the last day.
    expect(await confirm(target, headers, 1)).toMatchObject({ state: "shown", events: 0, crawls: 3 });
    const all = { ...TWO, "2026-03-12": 1, "2026-03-13": 2 };
    expect(await reads()).toEqual(all);

    const again = await upload(target, headers, SITE, { "other.log": `${log}${logLine("2026-03-11T10:00:00", "/docs", gptbot)}` });
    expect(again).toMatchObject({ state: "ready" });
    expect(await confirm(target, headers, 2)).toMatchObject({ state: "shown", crawls: 1 });
    expect(await reads()).toEqual({ ...all, "2026-03-11": 1 });

    await bodyOf(await ask("POST", "/api/imports/1/hide"));
    expect(await reads()).toEqual({ ...TWO, "2026-03-11": 1 });
    await bodyOf(await ask("POST", "/api/imports/1/show"));
    await record(target, wireEvent(SITE));
    await bodyOf(await ask("POST", `/api/sites/${SITE}/rename`, { to: OTHER }));
    expect(await reads(OTHER)).toEqual({ ...all, "2026-03-11": 1 });
    for (const number of [1, 2]) await bodyOf(await ask("DELETE", `/api/imports/${number}`));
    expect(await reads(OTHER)).toEqual(TWO);
  });

  it("of an import are those of the site that its site is merged into", async () => {
    const { target, stores, ask, reads } = await world();
    const headers = withKey((await createKey(target, await logIn(target), "Admin")).key);
    for (const site of [SITE, OTHER]) await record(target, wireEvent(site));
    const log = logLine("2026-03-12T10:00:00", "/docs", { userAgent: "Mozilla/5.0 (compatible; GPTBot/1.2)" });
    await upload(target, headers, SITE, { "access.log": log });
    await confirm(target, headers, 1);
    await bodyOf(await ask("POST", `/api/sites/${SITE}/merge`, { into: OTHER }));
    expect(await reads(OTHER)).toEqual({ "2026-03-12": 1 });
    await bodyOf(await ask("DELETE", "/api/imports/1"));
    expect(await reads(OTHER)).toEqual({});
    expect(await stores.objects.list("crawls")).toEqual([]);
  });

  it("are in a backup, and their damage is found", async () => {
    const { report, stores } = await world();
    await report();
    const copy = memoryStores();
    await backUp(stores, {
      ...copy,
      async copyObject(key) {
        const bytes = await stores.objects.get(key);
        if (bytes !== null) await copy.objects.put(key, bytes);
        return bytes !== null;
      },
    });
    const files = (await copy.objects.list("crawls")).map(({ key }) => key);
    expect(files).toEqual(["14", "15"].map((day) => `crawls/site_id=one.test/2026-03-${day}_0.ndjson.gz`));
    expect((await verifyData(copy)).faults).toEqual([]);
    await copy.objects.put(files[0] ?? "", new Uint8Array(40));
    expect((await verifyData(copy)).faults).toEqual([{ file: files[0], reason: expect.stringContaining("it cannot be read") as unknown }]);
  });
});
