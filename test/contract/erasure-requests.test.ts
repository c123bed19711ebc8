/** Requests for erasures against a real ClickHouse: which are pending for a node, what was confirmed, and when they are forgotten. */
import { expect, it } from "vitest";
import { connectClickhouse } from "../../adapters/clickhouse-connection.ts";
import { Secret } from "../../src/runtime/base/config/option-kinds.ts";
import { type ErasureRequest, ErasureRequests } from "../../src/runtime/clickhouse/deletion.ts";
import { eventTables, prepareSchema } from "../../src/runtime/clickhouse/schema.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { siteId } from "../support/stored-event.ts";

const [A, B] = ["00000000000000aa", "00000000000000bb"];
const DAY = "2026-03-15" as LocalDate;
const clickhouse = clickhouseOfFile();

it("a request is pending for each node until it confirms, and forgotten once all have", async () => {
  const { url, username, password, database } = clickhouse();
  const clickhouseDatabase = await database();
  const connection = connectClickhouse({
    clickhouseUrl: url,
    clickhouseUser: username,
    clickhousePassword: new Secret(password),
    clickhouseDatabase,
  });
  const tables = eventTables({ clickhouseDatabase, clickhouseCluster: null });
  await prepareSchema(connection, tables);
  const [ofA, ofB] = [new ErasureRequests(connection, tables, A), new ErasureRequests(connection, tables, B)];
  const request: ErasureRequest = { id: "01", siteId: siteId("a.test"), firstDay: DAY, lastDay: DAY };
  await ofA.add(request);
  expect([await ofA.pending(), await ofB.pending(), await ofA.recent()]).toEqual([[request], [request], [request]]);
  await ofA.confirm("01", { events: 2, days: 1 });
  await ofA.confirm("01", { events: 2, days: 1 });
  await ofA.forget([A, B], -1_000);
  expect([await ofA.pending(), await ofB.pending()]).toEqual([[], [request]]);
  await ofB.confirm("01", { events: 3, days: 1 });
  expect(await ofA.confirmations("01")).toEqual({ nodes: new Set([A, B]), events: 5, days: 2 });
  expect(await ofA.count()).toBe(1);
  await ofA.forget([A, B], -1_000);
  expect([await ofA.count(), (await ofA.confirmations("01")).events]).toEqual([0, 0]);
});
