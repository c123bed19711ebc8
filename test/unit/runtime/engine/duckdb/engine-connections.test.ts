/** Queries and checkpoints take turns: fresh rows are compressed soon, also where queries never cease. */
import { describe, expect, it } from "vitest";
import { EngineConnections } from "../../../../../src/runtime/engine/duckdb/engine-connections.ts";

function makeWorld(connections = [1, 2]) {
  const done: string[] = [];
  let failures = 0;
  const turns = new EngineConnections({
    connections,
    rowsBeforeCheckpoint: 10,
    checkpoint() {
      done.push("checkpoint");
      if (failures-- > 0) throw new Error("no room");
    },
  });
  const take = (name: string): Promise<number> =>
    turns.take().then((connection) => {
      done.push(name);
      return connection;
    });
  return { turns, done, take, failNext: () => (failures = 1) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("connections of the engine", () => {
  it("are each one's at a time, in the order in which they were asked for", async () => {
    const { turns, done, take } = makeWorld();
    const [first, second] = await Promise.all([take("first"), take("second")]);
    expect(new Set([first, second])).toEqual(new Set([1, 2]));
    void take("third");
    void take("fourth");
    await settled();
    expect(done).toEqual(["first", "second"]);
    turns.giveBack(second);
    await settled();
    turns.giveBack(first);
    await settled();
    expect(done).toEqual(["first", "second", "third", "fourth"]);
  });

  it("let a checkpoint in when enough rows are fresh and nobody queries", async () => {
    const { turns, done, take } = makeWorld();
    turns.noteRows(9);
    turns.checkpointWhenIdle();
    expect(done).toEqual([]);
    const query = await take("query");
    turns.noteRows(1);
    turns.checkpointWhenIdle();
    expect(done).toEqual(["query"]);
    turns.giveBack(query);
    turns.checkpointWhenIdle();
    expect(done).toEqual(["query", "checkpoint"]);
  });

  it("are given to nobody while far too many rows are fresh, until those who query are done", async () => {
    const { turns, done, take } = makeWorld();
    const query = await take("query");
    turns.noteRows(39);
    const beside = await take("beside");
    turns.giveBack(beside);
    turns.noteRows(1);
    void take("later");
    await settled();
    expect(done).toEqual(["query", "beside"]);
    turns.giveBack(query);
    await settled();
    expect(done).toEqual(["query", "beside", "checkpoint", "later"]);
  });

  it("go on after a checkpoint that failed", async () => {
    const { turns, done, take, failNext } = makeWorld();
    const query = await take("query");
    turns.noteRows(100);
    void take("later");
    failNext();
    expect(() => turns.giveBack(query)).toThrow("no room");
    await settled();
    expect(done).toEqual(["query", "checkpoint", "later"]);
  });
});
