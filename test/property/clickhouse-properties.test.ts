/** Custom properties of any JSON object, normalized or not: SQL in ClickHouse reads the keys and values that `parseProps` does. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KEYS_WITH_VALUE, mayHaveKey, tokenOfKey, valueOf, withPairs } from "../../src/runtime/clickhouse/dialect/texts.ts";
import { RESULT_SETTINGS } from "../../src/runtime/clickhouse/connection.ts";
import { clickhouseStatement } from "../../src/runtime/clickhouse/dialect/dialect.ts";
import { parseProps } from "../../src/runtime/duckdb/tables/properties.ts";
import { sql, type SqlText, textCode } from "../../src/runtime/query/sql.ts";
import { connectionTo } from "../support/clickhouse-connection.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

const TEXTS_PER_RUN = 60;
const KEYS_PER_RUN = 3;

/** Fewer, because each run has many texts. */
const RUNS = Math.ceil(PROPERTY_RUNS / 12);

const space = fc.constantFrom("", "", "", " ", "\n", "\t ");

const string = fc.oneof(
  fc.constantFrom("a", "b", "a.b", "", "null", "(unknown)", "\\", '"', "x\ny", "{", "}", "[", "]", ":", ",", "ключ", "\u{1f600}", "\0"),
  fc.string({ unit: "binary", maxLength: 6 }),
);

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");

/** As `JSON.stringify` writes it, or with escapes only. */
const written = fc.tuple(string, fc.boolean()).map(([text, isEscaped]) => (isEscaped ? `"${escaped(text)}"` : JSON.stringify(text)));

const number = fc.constantFrom("1", "-0", "1.50", "1e5", "1e+21", "123456789012345678901234567890", "0.1e-400", "-12.000");

const spaced = (value: fc.Arbitrary<string>) => fc.tuple(space, value, space).map((parts) => parts.join(""));

const { object } = fc.letrec<{ value: string; object: string }>((tie) => {
  const pair = fc.tuple(spaced(written), spaced(tie("value"))).map((parts) => parts.join(":"));
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      written,
      number,
      fc.constantFrom("true", "false", "null"),
      tie("object"),
      fc.array(spaced(tie("value")), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
    ),
    object: fc.tuple(space, fc.array(pair, { maxLength: 5 })).map(([empty, pairs]) => `{${pairs.join(",") || empty}}`),
  };
});

const clickhouse = clickhouseOfFile();

const rowsOf = (select: SqlText) =>
  connectionTo(clickhouse(), "default").rows({ ...clickhouseStatement(select), settings: RESULT_SETTINGS });

const relationOf = (texts: readonly string[]): SqlText =>
  sql`SELECT CAST(arrayJoin(JSONExtract(${textCode(JSON.stringify(texts))}, 'Array(String)')) AS Nullable(String)) AS props`;

async function keysIn(texts: readonly string[]): Promise<readonly string[]> {
  const found = await rowsOf(
    sql`SELECT toJSONString(groupUniqArrayArray(${KEYS_WITH_VALUE})) AS keys FROM (${withPairs(relationOf(texts))})`,
  );
  return (JSON.parse(String(found[0]?.["keys"])) as string[]).sort();
}

const valuesIn = (texts: readonly string[], key: string) =>
  rowsOf(sql`
    SELECT ${valueOf(sql`token`)} AS value, count(*) AS events
    FROM (SELECT ${tokenOfKey(key)} AS token FROM (${withPairs(relationOf(texts))}) WHERE ${mayHaveKey(key)})
    GROUP BY value ORDER BY value`);

/** The rows of `valuesIn`. */
function expectedValues(texts: readonly string[], key: string) {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const value = parseProps(text).get(key);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const bytes = (text: string) => Buffer.from(text);
  return [...counts].sort(([a], [b]) => Buffer.compare(bytes(a), bytes(b))).map(([value, events]) => ({ value, events: String(events) }));
}

describe("custom properties in ClickHouse", () => {
  it(
    "ClickHouse finds the same keys and values of custom properties as the parser of the program",
    async () => {
      const holds = fc.asyncProperty(fc.array(object, { minLength: TEXTS_PER_RUN, maxLength: TEXTS_PER_RUN }), async (texts) => {
        const keys = [...new Set(texts.flatMap((text) => [...parseProps(text).keys()]))].sort();
        expect(await keysIn(texts)).toEqual(keys);
        for (const key of keys.slice(0, KEYS_PER_RUN)) {
          expect({ key, values: await valuesIn(texts, key) }).toEqual({ key, values: expectedValues(texts, key) });
        }
      });
      await fc.assert(holds, { numRuns: RUNS });
    },
    PROPERTY_TIMEOUT_MS,
  );
});
