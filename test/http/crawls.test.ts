/** What becomes of counts of crawlers when the service ends, and when days and sites are deleted, renamed and copied. In process. */
import { describe, expect, it, onTestFinished } from "vitest";
import { backUp } from "../../src/runtime/upkeep/backup.ts";
import { verifyData } from "../../src/runtime/upkeep/verification.ts";
import { bodyOf, CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, type Stores } from "../support/mortal-stores.ts";
import { record, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";
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
    const { target, ask, reads } = await world();
    const headers = withKey((await createKey(target, await logIn(target), "Admin")).key);
    for (const site of [SITE, OTHER]) await record(target, wireEvent(site));
    const log = logLine("2026-03-12T10:00:00", "/docs", { userAgent: "Mozilla/5.0 (compatible; GPTBot/1.2)" });
    await upload(target, headers, SITE, { "access.log": log });
    await confirm(target, headers, 1);
    await bodyOf(await ask("POST", `/api/sites/${SITE}/merge`, { into: OTHER }));
    expect(await reads(OTHER)).toEqual({ "2026-03-12": 1 });
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
