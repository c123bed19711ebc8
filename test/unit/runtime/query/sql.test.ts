/** The SQL tag: values become parameters, only SQL is spliced, and identifiers come from the table of columns. */
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { column, joinSql, sql, type SqlParameter, SqlText, textCode } from "../../../../src/runtime/query/sql.ts";
import { type ColumnName, EVENT_COLUMNS } from "../../../../src/storage/event.ts";
import { character } from "../../../support/character.ts";

describe("sql", () => {
  it("leaves text without values unchanged", () => {
    const query = sql`SELECT 1`;
    expect([query.text, query.values]).toEqual(["SELECT 1", []]);
  });

  it("turns values into numbered parameters, in their order", () => {
    const query = sql`${1} < x AND x < ${2n} OR y = ${textCode("z")}`;
    expect(query.text).toBe("$1 < x AND x < $2 OR y = $3");
    expect(query.values).toEqual([1, 2n, { text: "z" }]);
  });

  it("numbers each use of the same value", () => {
    const query = sql`${7} + ${7}`;
    expect([query.text, query.values]).toEqual(["$1 + $2", [7, 7]]);
  });

  it("splices SQL and numbers its parameters by position", () => {
    const inner = sql`a > ${1} AND b > ${2}`;
    const query = sql`SELECT ${0} WHERE ${inner} AND c > ${3} AND (${inner})`;
    expect(query.text).toBe("SELECT $1 WHERE a > $2 AND b > $3 AND c > $4 AND (a > $5 AND b > $6)");
    expect(query.values).toEqual([0, 1, 2, 3, 1, 2]);
    expect(inner.text).toBe("a > $1 AND b > $2");
  });

  it("splices SQL without parameters, at the start, at the end and side by side", () => {
    const [a, b] = [sql`a`, sql`b`];
    expect(sql`${a}${b}`.text).toBe("ab");
    expect(sql`${sql`${a}${1}`}${b}${2}`.text).toBe("a$1b$2");
    expect(sql`${sql``}`.text).toBe("");
  });

  it("keeps literal text that looks like a parameter or a pattern", () => {
    expect(sql`SELECT '$9', ${1}, '$& $1'`.text).toBe("SELECT '$9', $1, '$& $1'");
  });

  it("does not accept strings as values", () => {
    expectTypeOf(sql).parameters.toExtend<[TemplateStringsArray, ...(SqlParameter | SqlText)[]]>();
    expectTypeOf<string>().not.toExtend<SqlParameter | SqlText>();
  });

  it("keeps hostile strings in parameters", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: character }), { maxLength: 5 }), (texts) => {
        const query = joinSql([sql`true`, ...texts.map((text) => sql`pathname = ${textCode(text)}`)], " AND ");
        expect(query.text).toBe(["true", ...texts.map((_, i) => `pathname = $${i + 1}`)].join(" AND "));
        expect(query.values).toEqual(texts.map((text) => ({ text })));
      }),
    );
  });

  it("numbers the parameters of nested SQL from 1, each with its value", () => {
    const nested = fc.letrec<{ text: SqlText }>((tie) => ({
      text: fc.oneof(
        { maxDepth: 4 },
        fc.integer().map((value) => sql`(${value})`),
        fc.tuple(tie("text"), fc.integer(), tie("text")).map(([left, value, right]) => sql`[${left}|${value}|${right}]`),
      ),
    })).text;
    fc.assert(
      fc.property(nested, (query) => {
        const numbers = [...query.text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
        expect(numbers).toEqual(query.values.map((_, i) => i + 1));
      }),
    );
  });
});

describe("column", () => {
  it("is the name of any column", () => {
    for (const { name } of EVENT_COLUMNS) expect(sql`SELECT ${column(name)}`.text).toBe(`SELECT ${name}`);
  });

  it.each(["", "pathname; DROP TABLE events", "PATHNAME", "toString", "pathname "])("refuses %j", (name) => {
    expect(() => column(name as ColumnName)).toThrow();
  });
});

describe("joinSql", () => {
  it("puts the separator between the fragments", () => {
    expect(joinSql([sql`a`], " AND ").text).toBe("a");
    const joined = joinSql([sql`a = ${1}`, sql`b`, sql`c = ${2}`], ", ");
    expect([joined.text, joined.values]).toEqual(["a = $1, b, c = $2", [1, 2]]);
  });

  it("joinSql refuses to join nothing", () => {
    expect(() => joinSql([], " AND ")).toThrow();
  });
});
