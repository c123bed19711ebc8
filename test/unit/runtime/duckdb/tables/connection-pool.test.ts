/** Queries and checkpoints alternate: new rows are compressed soon, even under a continuous load of queries. Owners come before guests. */
import { describe, expect, it } from "vitest";
import { ConnectionPool, Turns } from "../../../../../src/runtime/duckdb/tables/connections.ts";

const microtasks = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

function makeWorld(connections = [1, 2]) {
  const done: string[] = [];
  let failures = 0;
  let waiting: (() => void)[] = [];
  const turns = new Turns(() => new Promise((resolve) => waiting.push(resolve)));
  const pool = new ConnectionPool({
    connections,
    rowsBeforeCheckpoint: 10,
    checkpoint() {
      done.push("checkpoint");
      if (failures-- > 0) throw new Error("out of memory");
    },
  });
  /** A query that runs until its `end` is called. */
  function query(name: string, { isGuest = false, signal = new AbortController().signal } = {}) {
    let end = () => {};
    let connection = 0;
    const ended = turns.run({ isGuest, signal }, (turn) =>
      pool.run(turn, (taken) => {
        connection = taken;
        done.push(name);
        return new Promise<void>((resolve) => (end = resolve));
      }),
    );
    return {
      ended,
      end: () => end(),
      get connection() {
        return connection;
      },
    };
  }
  /** Lets whoever waits look again. */
  async function settled() {
    for (let i = 0; i < 3; i++) {
      const round = waiting;
      waiting = [];
      for (const resolve of round) resolve();
      await microtasks();
    }
  }
  return { pool, done, query, settled, failNext: () => (failures = 1) };
}

describe("the engine's connection pool", () => {
  it("gives each connection to one query at a time, in the order of the calls", async () => {
    const { done, query, settled } = makeWorld();
    const [first, second] = [query("first"), query("second")];
    query("third");
    query("fourth");
    await settled();
    expect(new Set([first.connection, second.connection])).toEqual(new Set([1, 2]));
    expect(done).toEqual(["first", "second"]);
    second.end();
    await settled();
    first.end();
    await settled();
    expect(done).toEqual(["first", "second", "third", "fourth"]);
  });

  it("gives guests at most half of the connections, and only after owners that came later", async () => {
    const { done, query, settled } = makeWorld([1, 2, 3, 4]);
    const guests = ["g1", "g2", "g3"].map((name) => query(name, { isGuest: true }));
    await settled();
    expect(done).toEqual(["g1", "g2"]);
    const owners = ["o1", "o2", "o3"].map((name) => query(name));
    await settled();
    expect(done).toEqual(["g1", "g2", "o1", "o2"]);
    guests[0]?.end();
    await settled();
    expect(done.slice(4)).toEqual(["o3"]);
    owners[0]?.end();
    await settled();
    expect(done.slice(5)).toEqual(["g3"]);
  });

  it("gives its only connection to guests while no owner waits", async () => {
    const { done, query, settled } = makeWorld([1]);
    const guest = query("g1", { isGuest: true });
    await settled();
    query("g2", { isGuest: true });
    query("owner");
    guest.end();
    await settled();
    expect(done).toEqual(["g1", "owner"]);
  });

  it("gives the place of a query that is aborted while it waits to the next one", async () => {
    const { done, query, settled } = makeWorld([1]);
    const first = query("first");
    await settled();
    const controller = new AbortController();
    const aborted = query("aborted", { signal: controller.signal });
    query("next");
    await settled();
    controller.abort(new Error("given up"));
    const outcome = expect(aborted.ended).rejects.toThrow("given up");
    await settled();
    await outcome;
    first.end();
    await settled();
    expect(done).toEqual(["first", "next"]);
  });

  it("runs a checkpoint once enough columns have new rows, however few, and counts each table once", () => {
    const { pool, done } = makeWorld();
    for (let append = 0; append < 10; append++) pool.noteColumns("events", 35);
    pool.noteColumns("city", 4);
    pool.checkpointWhenIdle();
    expect(done).toEqual([]);
    pool.noteColumns("sessions", 1);
    pool.checkpointWhenIdle();
    pool.checkpointWhenIdle();
    expect(done).toEqual(["checkpoint"]);
  });

  it("runs a checkpoint once enough rows are new and no query is running", async () => {
    const { pool, done, query, settled } = makeWorld();
    pool.noteRows(9);
    pool.checkpointWhenIdle();
    expect(done).toEqual([]);
    const running = query("query");
    await settled();
    pool.noteRows(1);
    pool.checkpointWhenIdle();
    expect(done).toEqual(["query"]);
    running.end();
    await settled();
    pool.checkpointWhenIdle();
    expect(done).toEqual(["query", "checkpoint"]);
  });

  it("starts no query while too many rows are new, until the running queries end and a checkpoint is done", async () => {
    const { pool, done, query, settled } = makeWorld();
    const running = query("query");
    await settled();
    pool.noteRows(39);
    const beside = query("beside");
    await settled();
    beside.end();
    await settled();
    pool.noteRows(1);
    query("later");
    await settled();
    expect(done).toEqual(["query", "beside"]);
    running.end();
    await settled();
    expect(done).toEqual(["query", "beside", "checkpoint", "later"]);
  });

  it("starts waiting queries after a checkpoint that failed", async () => {
    const { pool, done, query, settled, failNext } = makeWorld();
    const running = query("query");
    await settled();
    pool.noteRows(100);
    query("later");
    failNext();
    const outcome = expect(running.ended).rejects.toThrow("out of memory");
    running.end();
    await settled();
    await outcome;
    expect(done).toEqual(["query", "checkpoint", "later"]);
  });
});
