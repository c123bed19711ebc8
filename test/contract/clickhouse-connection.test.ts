/** The connection to ClickHouse against a real server: values, exceptions and aborts as the port promises them. */
import { describe, expect, it } from "vitest";
import { ClickhouseError, ClickhouseUnreachableError } from "../../src/runtime/clickhouse/connection.ts";
import { connectionTo } from "../support/clickhouse-connection.ts";
import { clickhouseOfFile, ONLY_THE_FRONT } from "../support/clickhouse-server.ts";
import { skippedFor } from "../support/skipped.ts";

const clickhouse = clickhouseOfFile();

async function open() {
  const server = clickhouse();
  return { server, connection: connectionTo(server, await server.database()) };
}

/** Runs for minutes, unless it is killed. */
const ENDLESS = { sql: "SELECT count() AS n FROM numbers(100000000000) WHERE NOT ignore(sipHash64(number))" };

describe("the connection to ClickHouse", () => {
  it("returns every text unchanged, and numbers that JavaScript would round", async () => {
    const { connection } = await open();
    const texts = ["", "a\tb\nc\\d'e\"", "\u0000", "\ufeff\u{1f600}é", "{x:String}", "é".repeat(50_000)];
    for (const text of texts) {
      expect(await connection.rows({ sql: "SELECT {t:String} AS t", parameters: { t: text } })).toEqual([{ t: text }]);
    }
    const sql = "SELECT {u:UInt64} AS u, {i:Int64} AS i, 0.1::Float64 AS f, NULL AS missing";
    const parameters = { u: "18446744073709551615", i: "-9223372036854775808" };
    expect(await connection.rows({ sql, parameters })).toEqual([{ ...parameters, f: 0.1, missing: null }]);
  });

  it("runs statements in its database, or in none if the statement asks for that", async () => {
    const { connection, server } = await open();
    await connection.execute({ sql: "CREATE TABLE t (n UInt8) ENGINE = Memory" });
    await connection.execute({ sql: "INSERT INTO t VALUES (1), (2)" });
    expect(await connection.rows({ sql: "SELECT n FROM t ORDER BY n" })).toEqual([{ n: 1 }, { n: 2 }]);
    const toNowhere = connectionTo(server, "sandpiper_not_there");
    await expect(toNowhere.rows({ sql: "SELECT 1 AS one" })).rejects.toMatchObject({ code: 81 });
    await toNowhere.execute({ sql: "SELECT 1", withoutDatabase: true });
  });

  it("rejects with the code of the server's exception", async () => {
    const { connection } = await open();
    await expect(connection.rows({ sql: "SELECT * FROM not_there" })).rejects.toMatchObject({ code: 60, name: "ClickhouseError" });
    await expect(connection.execute({ sql: "SELEKT" })).rejects.toBeInstanceOf(ClickhouseError);
    const tooLong = { ...ENDLESS, settings: { max_execution_time: 1 } };
    await expect(connection.rows(tooLong)).rejects.toMatchObject({ code: 159 });
  });

  it("ends an aborted query on the server", async () => {
    const { connection } = await open();
    const controller = new AbortController();
    const rows = connection.rows(ENDLESS, controller.signal);
    setTimeout(() => controller.abort(new Error("the client is gone")), 200);
    await expect(rows).rejects.toThrow("the client is gone");
    const running = { sql: "SELECT query FROM system.processes WHERE query LIKE '%sipHash64(number)%' AND query NOT LIKE '%processes%'" };
    await expect.poll(() => connection.rows(running)).toEqual([]);
  });

  it("rejects while a killed server is down, and works as soon as it is back", skippedFor(ONLY_THE_FRONT), async () => {
    const { connection, server } = await open();
    await connection.execute({ sql: "CREATE TABLE t (n UInt8) ENGINE = MergeTree ORDER BY n" });
    await connection.execute({ sql: "INSERT INTO t VALUES (1)" });
    const running = connection.rows(ENDLESS);
    const ended = expect(running).rejects.toBeInstanceOf(ClickhouseUnreachableError);
    await server.kill();
    await ended;
    await expect(connection.rows({ sql: "SELECT 1 AS one" })).rejects.toBeInstanceOf(ClickhouseUnreachableError);
    await server.start();
    expect(await connection.rows({ sql: "SELECT n FROM t" })).toEqual([{ n: 1 }]);
  });

  it("treats a lost response like one that never came", skippedFor(ONLY_THE_FRONT), async () => {
    const { connection, server } = await open();
    await server.fail({ kind: "drop", match: "SELECT 1" });
    await expect(connection.execute({ sql: "SELECT 1" })).rejects.toBeInstanceOf(ClickhouseUnreachableError);
    await server.fail({ kind: "error", code: 252, match: "SELECT 1" });
    await expect(connection.execute({ sql: "SELECT 1" })).rejects.toMatchObject({ code: 252 });
  });
});
