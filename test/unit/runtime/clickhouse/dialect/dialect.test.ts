/** Every SQL fragment that dialects write in different ways is written in ClickHouse's. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { clickhouseStatement } from "../../../../../src/runtime/clickhouse/dialect/dialect.ts";
import { fragment, sql } from "../../../../../src/runtime/query/sql.ts";
import { sourcesBelow } from "../../../../support/source-files.ts";

const declared = sourcesBelow("src").flatMap(({ text }) =>
  [...text.matchAll(/^(?:export )?const (\w+)(?:: [^=]+)? = fragment\(/gm)].map(([, name = ""]) => name),
);

const written = [...readFileSync("src/runtime/clickhouse/dialect/dialect.ts", "utf8").matchAll(/^write\(\s*(\w+),/gm)].map(
  ([, name = ""]) => name,
);

describe("the ClickHouse dialect", () => {
  it("the dialect writes every declared fragment, and each once", () => {
    expect(written.toSorted()).toEqual(declared.toSorted());
    expect(declared.length).toBeGreaterThan(5);
  });

  it("a fragment that the dialect does not write is refused before a statement is sent", () => {
    const unknown = fragment(() => sql`1`);
    expect(sql`SELECT ${unknown()}`.text).toBe("SELECT 1");
    expect(() => clickhouseStatement(sql`SELECT ${unknown()}`)).toThrow("not written");
  });

  it("only the dialect that runs is written", () => {
    const asked: string[] = [];
    const lazy = fragment(() => (asked.push("duckdb"), sql`1`));
    const statement = sql`SELECT ${lazy()}`;
    expect(asked).toEqual([]);
    expect([statement.text, statement.text, asked]).toEqual(["SELECT 1", "SELECT 1", ["duckdb"]]);
  });
});
