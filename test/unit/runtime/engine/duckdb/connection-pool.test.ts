/** Queries and checkpoints alternate: new rows are compressed soon, even under a continuous load of queries. */
import { describe, expect, it } from "vitest";
import { ConnectionPool } from "../../../../../src/runtime/engine/duckdb/connection-pool.ts";

function makeWorld(connections = [1, 2]) {
  const done: string[] = [];
  let failures = 0;
  const pool = new ConnectionPool({
    connections,
    rowsBeforeCheckpoint: 10,
    checkpoint() {
      done.push("checkpoint");
      if (failures-- > 0) throw new Error("out of memory");
    },
  });
  const acquire = (name: string): Promise<number> =>
    pool.acquire().then((connection) => {
      done.push(name);
      return connection;
    });
  return { pool, done, acquire, failNext: () => (failures = 1) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the engine's connection pool", () => {
  it("gives each connection to one query at a time, in the order of the calls", async () => {
    const { pool, done, acquire } = makeWorld();
    const [first, second] = await Promise.all([acquire("first"), acquire("second")]);
    expect(new Set([first, second])).toEqual(new Set([1, 2]));
    void acquire("third");
    void acquire("fourth");
    await settled();
    expect(done).toEqual(["first", "second"]);
    pool.release(second);
    await settled();
    pool.release(first);
    await settled();
    expect(done).toEqual(["first", "second", "third", "fourth"]);
  });

  it("runs a checkpoint once enough rows are new and no query is running", async () => {
    const { pool, done, acquire } = makeWorld();
    pool.noteRows(9);
    pool.checkpointWhenIdle();
    expect(done).toEqual([]);
    const query = await acquire("query");
    pool.noteRows(1);
    pool.checkpointWhenIdle();
    expect(done).toEqual(["query"]);
    pool.release(query);
    pool.checkpointWhenIdle();
    expect(done).toEqual(["query", "checkpoint"]);
  });

  it("starts no query while too many rows are new, until the running queries end and a checkpoint is done", async () => {
    const { pool, done, acquire } = makeWorld();
    const query = await acquire("query");
    pool.noteRows(39);
    const beside = await acquire("beside");
    pool.release(beside);
    pool.noteRows(1);
    void acquire("later");
    await settled();
    expect(done).toEqual(["query", "beside"]);
    pool.release(query);
    await settled();
    expect(done).toEqual(["query", "beside", "checkpoint", "later"]);
  });

  it("starts waiting queries after a checkpoint that failed", async () => {
    const { pool, done, acquire, failNext } = makeWorld();
    const query = await acquire("query");
    pool.noteRows(100);
    void acquire("later");
    failNext();
    expect(() => pool.release(query)).toThrow("out of memory");
    await settled();
    expect(done).toEqual(["query", "checkpoint", "later"]);
  });
});
