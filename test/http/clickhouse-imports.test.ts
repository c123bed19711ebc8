/** Imports with ClickHouse: it has their events while they are shown, and answers what DuckDB answers. */
import { describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createKey, logIn, withBearer } from "../support/auth-requests.ts";
import { clickhouseOfFile, ONLY_THE_FRONT } from "../support/clickhouse-server.ts";
import { createClickhouseTarget } from "../support/clickhouse-target.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectError, record, wireEvent } from "../support/requests.ts";
import { skippedFor } from "../support/skipped.ts";
import { askImports, confirm, getImport, logLine, upload } from "../support/uploads.ts";

const clickhouse = clickhouseOfFile();

const SITE = "site.test";

const LOG = Array.from({ length: 60 }, (_, i) =>
  logLine(`2026-0${1 + (i % 3)}-1${i % 5}T0${i % 10}:00:00`, `/${i % 7}?utm_source=mail`, { address: `203.0.113.${i % 11}` }),
).join("");

const REPORTS = ["main?period=all", "timeseries?period=all", "breakdown/pages?period=all", "breakdown/utm_source?period=all"];

async function opened(target: InProcessTarget) {
  // A session would end with the process.
  const headers = withBearer((await createKey(target, await logIn(target), "Admin")).key);
  const ask = (path: string, method = "GET", body?: string) => askImports(target, headers, path, { method, ...(body && { body }) });
  const reports = () =>
    Promise.all(REPORTS.map(async (path) => (await target.fetch(`/api/stats/${path}&site_id=${SITE}`, { headers })).text()));
  const shown = async () => {
    await record(target, wireEvent(SITE));
    await target.flush();
    await upload(target, headers, SITE, { "access.log": LOG });
    return confirm(target, headers, 1);
  };
  return { target, headers, ask, reports, shown };
}

const inClickhouse = async () => opened(await createClickhouseTarget(clickhouse(), CLOSED));

describe("an import with ClickHouse", () => {
  it("is in every answer as with DuckDB: shown, hidden, shown again and deleted", async () => {
    const both = [await inClickhouse(), await opened(await createInProcessTarget(CLOSED))] as const;
    const [ofClickhouse, ofDuckdb] = both;
    const agreed = async () => {
      const found = await ofClickhouse.reports();
      expect(found).toEqual(await ofDuckdb.reports());
      return found;
    };
    for (const { shown } of both) expect(await shown()).toMatchObject({ state: "shown", events: 60 });
    const shown = await agreed();
    expect(shown[0]).toContain('"total_pageviews":61');
    for (const { ask } of both) await bodyOf(await ask("/1/hide", "POST"));
    const hidden = await agreed();
    expect(hidden[0]).toContain('"total_pageviews":1');
    for (const { ask } of both) await bodyOf(await ask("/1/show", "POST"));
    expect(await agreed()).toEqual(shown);
    for (const { ask } of both) await bodyOf(await ask("/1", "DELETE"));
    expect(await agreed()).toEqual(hidden);
    for (const { target } of both) await target.close();
  });

  it("of a log that grows is refused: ClickHouse would have a copy of its events", async () => {
    const { target, ask } = await inClickhouse();
    await expectError(await ask("", "POST", JSON.stringify({ site_id: SITE, follow: "access.log" })), 409, "not with ClickHouse");
    await target.close();
  });

  const INTERRUPTED = {
    "an insert while it is shown": { change: "show", match: "INSERT INTO", before: "hide" },
    "the deletion while it is hidden": { change: "hide", match: "DELETE FROM", before: null },
  } as const;
  it.each(Object.entries(INTERRUPTED))(
    "that is hidden has nothing there after a failure of %s",
    skippedFor(ONLY_THE_FRONT),
    async (_name, { change, match, before }) => {
      const { target, headers, ask, reports, shown } = await inClickhouse();
      await shown();
      if (before) await bodyOf(await ask(`/1/${before}`, "POST"));
      await clickhouse().fail({ kind: "error", match });
      await expectError(await ask(`/1/${change}`, "POST"), 503, "Storage could not be");
      await target.crash();
      await target.advance(60_000);
      await target.services.imports?.job.settled();
      expect(await getImport(target, headers, 1)).toMatchObject({ state: "hidden" });
      expect((await reports())[0]).toContain('"total_pageviews":1');
      await bodyOf(await ask("/1/show", "POST"));
      expect((await reports())[0]).toContain('"total_pageviews":61');
      await target.close();
    },
  );
});
