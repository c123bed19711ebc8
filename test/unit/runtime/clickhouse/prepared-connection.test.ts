/** The schema is prepared before the first statement, once for all, and again when that failed or the server has lost it. */
import { describe, expect, it } from "vitest";
import { type ClickhouseConnection, ClickhouseError, PreparedConnection } from "../../../../src/runtime/clickhouse/connection.ts";
import { createDeferred } from "../../../support/deferred.ts";

/** A connection that records what is called, and fails as the test says. */
function record() {
  const calls: string[] = [];
  const failures = new Map<string, Error>();
  const note = async (call: string) => {
    calls.push(call);
    const failure = failures.get(call);
    if (failure) throw failure;
  };
  const server: ClickhouseConnection = {
    rows: ({ sql }) => note(sql).then(() => []),
    execute: ({ sql }) => note(sql),
    insert: ({ sql }) => note(sql),
    responds: () => Promise.resolve(true),
  };
  return { calls, failures, connection: new PreparedConnection(server, () => note("prepare")) };
}

describe("a prepared connection", () => {
  it("sends nothing before the first statement, and prepares once for concurrent statements of any kind", async () => {
    const { calls, connection } = record();
    expect(calls).toEqual([]);
    await Promise.all([connection.rows({ sql: "a" }), connection.execute({ sql: "b" }), connection.insert({ sql: "c" }, new Uint8Array())]);
    expect(calls).toEqual(["prepare", "a", "b", "c"]);
  });

  it("prepares again after a failure, which also fails all waiting statements", async () => {
    const { calls, failures, connection } = record();
    failures.set("prepare", new Error("down"));
    const results = await Promise.allSettled([connection.execute({ sql: "a" }), connection.rows({ sql: "b" })]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    failures.clear();
    await connection.execute({ sql: "c" });
    expect(calls).toEqual(["prepare", "prepare", "c"]);
  });

  it.each([60, 81])("prepares again if the server does not know the table or the database (code %i)", async (code) => {
    const { calls, failures, connection } = record();
    failures.set("a", new ClickhouseError(code, "unknown"));
    await expect(connection.execute({ sql: "a" })).rejects.toThrow("unknown");
    await connection.execute({ sql: "b" });
    expect(calls).toEqual(["prepare", "a", "prepare", "b"]);
  });

  it("does not delay an aborted statement", async () => {
    const preparing = createDeferred<void>();
    const connection = new PreparedConnection({} as ClickhouseConnection, () => preparing.promise);
    const controller = new AbortController();
    const rows = connection.rows({ sql: "a" }, controller.signal);
    controller.abort(new Error("gone"));
    await expect(rows).rejects.toThrow("gone");
    preparing.resolve();
  });
});
