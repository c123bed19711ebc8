/** Tests of texts in ClickHouse's SQL pass what they pass in JavaScript, in which they run for DuckDB: also for letters beyond ASCII. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RESULT_SETTINGS } from "../../src/runtime/clickhouse/connection.ts";
import { clickhouseStatement } from "../../src/runtime/clickhouse/dialect/dialect.ts";
import { sql, textCode } from "../../src/runtime/query/sql.ts";
import { lowerCased, textPasses } from "../../src/runtime/clickhouse/dialect/texts.ts";
import { compiledTest, lowerCase, type TextTest, type TextTestKind } from "../../src/runtime/query/text-matching.ts";
import { connectionTo } from "../support/clickhouse-connection.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

/** Fewer, because each run is a statement. */
const RUNS = Math.ceil(PROPERTY_RUNS / 4);

const clickhouse = clickhouseOfFile();

/** Those among the texts that pass in ClickHouse. */
async function passingIn(texts: readonly string[], test: TextTest): Promise<string[]> {
  const rows = await connectionTo(clickhouse(), "default").rows({
    ...clickhouseStatement(sql`
      SELECT toJSONString(groupArray(text)) AS passing
      FROM (SELECT arrayJoin(JSONExtract(${textCode(JSON.stringify(texts))}, 'Array(String)')) AS text)
      WHERE ${textPasses(sql`text`, test)}`),
    settings: RESULT_SETTINGS,
  });
  return JSON.parse(String(rows[0]?.["passing"])) as string[];
}

const letters = fc.constantFrom(
  ..."aAbB.*%_\\/é É Ä ä Σ σ ς İ i ı ẞ ß ss K k Å å Ⱥ ⱥ Ǆ ǅ ǆ 😀 𐐀 𐐨 e\u0301 \n \r".split(" ").flatMap((part) => [...part]),
  " ",
  "\n",
);
const text = fc.string({ unit: letters, maxLength: 6 });
const value = fc.string({ unit: letters, minLength: 1, maxLength: 3 });

/** Of RE2, from letters and what means something. */
const expression = fc
  .array(fc.constantFrom("a", "é", "😀", ".", "a*", "[a-z]", "[^b]", "^", "$", "(a|b)", "(?i)ä", "\\.", "\\w", "\\s", "Σ", "x?"), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(""));

const tests: fc.Arbitrary<TextTest> = fc.oneof(
  fc.record({
    kind: fc.constantFrom<TextTestKind>("is", "contains", "begins", "like", "search", "word"),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant<TextTestKind>("matches"), values: fc.array(expression, { minLength: 1, maxLength: 2 }) }),
);

describe("tests of texts in ClickHouse", () => {
  it(
    "text tests in ClickHouse match the same texts as in JavaScript",
    async () => {
      const holds = fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 40, size: "max" }), tests, async (texts, test) => {
        expect({ test, passing: await passingIn(texts, test) }).toEqual({ test, passing: texts.filter(compiledTest(test)) });
      });
      await fc.assert(holds, { numRuns: RUNS });
    },
    PROPERTY_TIMEOUT_MS,
  );

  it("searches in ClickHouse ignore the case of every character like JavaScript", async () => {
    const characters = Array.from({ length: 0x1_20_00 }, (_, code) => code + 1)
      .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
      .map((code) => String.fromCodePoint(code))
      .filter((character) => character.toLowerCase() !== character)
      .flatMap((character) => [character, `a${character}`, `${character}a`, `a${character} `]);
    expect(characters.length).toBeGreaterThan(1_000);
    const found = await connectionTo(clickhouse(), "default").rows({
      ...clickhouseStatement(sql`
        SELECT toJSONString(groupArray(${lowerCased(sql`text`)})) AS lower
        FROM (SELECT arrayJoin(JSONExtract(${textCode(JSON.stringify(characters))}, 'Array(String)')) AS text)`),
      settings: RESULT_SETTINGS,
    });
    const lower = JSON.parse(String(found[0]?.["lower"])) as string[];
    const others = characters
      .map((character, i) => [character, lowerCase(character), lower[i]])
      .filter(([, own, theirs]) => own !== theirs);
    expect(others).toEqual([]);
  });
});
