/** Imports in workerd: the site's object reads the files in its alarms, and goes on after it has ended at any moment. */
import { afterEach, describe, expect, it } from "vitest";
import { IMPORT_UPLOAD_BYTES_MAX_IN_WORKERD } from "../../src/runtime/base/config/limits.ts";
import { bodyOf, createKey, logIn, withBearer } from "../support/auth-requests.ts";
import { expectError } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import { askImports, beginUpload, getImport, type ImportJson, logLine, sendParts } from "../support/uploads.ts";
import { startWorkerd, type WorkerdRuntime } from "../support/workerd/runtime.ts";

const PASSWORD = "a long password of the test";
const SITES = ["one.test", "two.test"] as const;

/** More than two checkpoints, and no day with all events. */
const EVENTS = 25_000;
const DAYS = 5;

const LOG = Array.from({ length: EVENTS }, (_, i) => {
  const second = String(i % 60).padStart(2, "0");
  const address = `203.0.${Math.floor(i / 250) % 250}.${i % 250}`;
  return logLine(`2025-03-0${1 + Math.floor((i * DAYS) / EVENTS)}T12:00:${second}`, `/${i % 100}`, { address });
}).join("");

let runtime: WorkerdRuntime;
afterEach(() => runtime.close());

const fetchFrom = (path: string, init?: RequestInit): Promise<Response> => fetch(`${runtime.origin()}${path}`, init);

async function started() {
  runtime = await startWorkerd({ script: "worker.js", environment: { SVC_CACHE_TTL_SECS: "0", SVC_ADMIN_PASSWORD: PASSWORD } });
  const target = { fetch: fetchFrom } as unknown as Target;
  const ofSession = { ...(await logIn(target, PASSWORD)), origin: runtime.origin() };
  // A session ends with the process.
  const headers = withBearer((await createKey(target, ofSession, "Admin")).key);
  const ask = (path: string, method = "GET", body?: string) =>
    askImports(target, headers, path, { method, ...(body !== undefined && { body }) });
  const upload = async (site: string, log: string): Promise<number> => {
    const { import_id: id } = await beginUpload(target, headers, site, { "access.log": log });
    await sendParts(target, headers, id, { "access.log": log });
    return id;
  };
  const until = (id: number, is: (found: ImportJson) => boolean): Promise<ImportJson> =>
    expect
      .poll(() => getImport(target, headers, id), { timeout: 90_000 })
      .toSatisfy(is)
      .then(() => getImport(target, headers, id));
  const report = async (site: string) => (await fetchFrom(`/api/stats/main?period=all&site_id=${site}`, { headers: headers })).text();
  return { ask, upload, until, report, headers };
}

const inState =
  (state: string) =>
  (found: ImportJson): boolean =>
    found.state === state;

/** It takes a minute on an idle machine. */
const TEST_MS_MAX = 400_000;

describe("imports in workerd", { timeout: TEST_MS_MAX }, () => {
  it("are read in alarms of the site's object, go on after a crash, and are hidden, shown and deleted", async () => {
    const { ask, upload, until, report, headers } = await started();
    const before = await report(SITES[0]);
    const other = await upload(SITES[1], logLine("2025-03-01T12:00:00", "/"));
    await until(other, inState("ready"));
    await bodyOf(await ask(`/${other}/confirm`, "POST"));
    await until(other, inState("shown"));
    expect(await bodyOf(await ask(`/${other}/hide`, "POST"))).toMatchObject({ state: "hidden" });
    const id = await upload(SITES[0], LOG);
    const ready = await until(id, inState("ready"));
    expect(ready.manifest).toMatchObject({ rows: EVENTS, days: DAYS });
    await bodyOf(await ask(`/${id}/confirm`, "POST"));
    await until(id, ({ events, state }) => events > 0 || state === "shown");
    await runtime.crash();
    expect(await bodyOf(await fetchFrom("/api/sites", { headers })), "a site whose imports are hidden").toMatchObject({
      sites: expect.arrayContaining([SITES[1]]) as unknown,
    });
    expect(await until(id, inState("shown"))).toMatchObject({ events: EVENTS });
    const after = await report(SITES[0]);
    expect(after).toContain(`"total_pageviews":${EVENTS}`);

    expect(await bodyOf(await ask(""))).toMatchObject([
      { import_id: id, site_id: SITES[0] },
      { import_id: other, site_id: SITES[1] },
    ]);
    expect(await bodyOf(await ask(`/${id}/hide`, "POST"))).toMatchObject({ state: "hidden" });
    expect(await report(SITES[0])).toBe(before);
    expect(await bodyOf(await ask(`/${id}/show`, "POST"))).toMatchObject({ state: "shown" });
    expect(await report(SITES[0])).toBe(after);
    expect(await bodyOf(await ask(`/${id}`, "DELETE"))).toEqual({ status: "deleted" });
    expect(await report(SITES[0])).toBe(before);
    await expectError(await ask(`/${id}`), 404, `There is no import #${id}`);

    const deletion = { method: "POST", headers: headers, body: JSON.stringify({ confirm: SITES[1] }) };
    expect(await bodyOf(await fetchFrom(`/api/sites/${SITES[1]}/delete`, deletion))).toMatchObject({ imports_deleted: 1 });
    expect(await bodyOf(await ask(""))).toEqual([]);
    expect((await runtime.bucketKeys()).filter((key) => key.startsWith("imports/") || key.startsWith("events/"))).toEqual([]);
  });

  it("are refused if the files are larger than an object can read in time", async () => {
    const { ask } = await started();
    const files = [{ name: "a.log", bytes: IMPORT_UPLOAD_BYTES_MAX_IN_WORKERD + 1 }];
    await expectError(
      await ask("", "POST", JSON.stringify({ site_id: SITES[0], files })),
      400,
      `${IMPORT_UPLOAD_BYTES_MAX_IN_WORKERD} bytes`,
    );
    const followed = JSON.stringify({ site_id: SITES[0], follow: "access.log" });
    await expectError(await ask("", "POST", followed), 409, "cannot be followed on Workers");
    await expectError(await ask("/7"), 404, "There is no such import");
  });
});
