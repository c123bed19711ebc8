/** Tests of texts and custom properties in ClickHouse, which runs them itself. Its JSON functions would change long numbers and arrays, so keys and values are read as `parseProps` reads them. */
import { joinSql, type PropertyTest, sql, type SqlText, textCode } from "../../query/sql.ts";
import { lowerCase, type TextTest } from "../../query/text-matching.ts";
import { UNRECORDED } from "../../../shared/filters.ts";

/** The whole text is tokens: strings, marks, separators, and the rest. RE2 and JavaScript agree on this expression. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[:{}[\]]|[\s,]+|[^\s:,{}[\]"]+/;

const SEPARATOR = /^[\s,]/;

const expression = ({ source }: RegExp) => textCode(source);

const unquoted = (token: SqlText): SqlText =>
  sql`if(position(${token}, ${textCode("\\")}) = 0, substring(${token}, 2, length(${token}) - 2), JSONExtractString(${token}))`;

/** A property has a value unless it is null, `(unknown)`, however that is written, or an object, whose keys are properties of their own. */
const HAS_VALUE = sql`(token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\\\') > 0 AND JSONExtractString(token) = '(unknown)'))`;

/** Steps from `props` to `paths` and `tokens`, each in terms of the columns before it. */
const STEPS: readonly SqlText[] = [
  sql`extractAll(assumeNotNull(props), ${expression(TOKEN)}) AS pieces`,
  sql`arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets`,
  sql`arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed`,
  // An array is one piece: all but its bracket follow an open one.
  sql`arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined`,
  sql`arrayFilter(piece -> NOT match(piece, ${expression(SEPARATOR)}), joined) AS marked`,
  sql`arrayShiftLeft(marked, 1) AS following`,
  sql`
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths`,
  sql`arrayMap(quoted -> ${unquoted(sql`quoted`)}, quoted_keys) AS own_keys, arrayEnumerate(depths) AS places`,
  // Of each smaller depth the last key before this one.
  sql`
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths`,
];

/**
 * The rows of a SELECT with the column `props`, and `paths`: the keys of all its pairs, those of nested objects joined by dots, and
 * `tokens`: the value of each as it is written. Every step is a SELECT, because ClickHouse would analyze an alias wherever it is used.
 */
export const withPairs = (rows: SqlText): SqlText => STEPS.reduce((before, step) => sql`SELECT *, ${step} FROM (${before})`, rows);

/** The keys that have a value, of `withPairs`. */
export const KEYS_WITH_VALUE = sql`arrayFilter((path, token) -> ${HAS_VALUE}, paths, tokens)`;

/**
 * A row for the last value of a key in `withPairs`, and none without a value. A condition would be moved in front of a GROUP BY of `props`,
 * where each event is a row.
 */
export const tokenOfKey = (key: string): SqlText =>
  sql`arrayJoin(arraySlice(arrayFilter((token, path) -> path = ${textCode(key)} AND ${HAS_VALUE}, tokens, paths), -1))`;

/** A token of `withPairs` as reports show it. */
export const valueOf = (token: SqlText): SqlText => sql`if(startsWith(${token}, '"'), ${unquoted(token)}, ${token})`;

/** False only if no property of `props` has the key. The last part of a key is within one JSON string, written with escapes or without. */
export function mayHaveKey(key: string): SqlText {
  const lastPart = JSON.stringify(key.slice(key.lastIndexOf(".") + 1)).slice(1);
  return sql`(position(props, ${textCode(lastPart)}) > 0 OR position(props, ${textCode("\\")}) > 0)`;
}

/** A pattern with `*` is a regular expression. */
const expressionOf = (pattern: string): string => `(?s)^${pattern.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&").replaceAll("*", ".*")}$`;

/** Same case folding as `lowerCase()` in text-matching.ts. */
export const lowerCased = (text: SqlText): SqlText => sql`replaceAll(lowerUTF8(${text}), ${textCode("ς")}, ${textCode("σ")})`;

/** `text` is never NULL. By default, `.` of ClickHouse matches line breaks. */
function passesOne(text: SqlText, kind: TextTest["kind"], value: string): SqlText {
  if (kind === "is") return sql`${text} = ${textCode(value)}`;
  if (kind === "contains") return sql`position(${text}, ${textCode(value)}) > 0`;
  if (kind === "begins") return sql`startsWith(${text}, ${textCode(value)})`;
  if (kind === "word") return sql`position(concat(' ', ${text}, ' '), ${textCode(` ${value} `)}) > 0`;
  if (kind === "search") return sql`position(${lowerCased(text)}, ${textCode(lowerCase(value))}) > 0`;
  return sql`match(${text}, ${textCode(kind === "like" ? expressionOf(value) : `(?-s)${value}`)})`;
}

export const textPasses = (text: SqlText, { kind, values }: TextTest): SqlText =>
  sql`(${joinSql(
    values.map((value) => passesOne(text, kind, value)),
    " OR ",
  )})`;

/** `(unknown)` is a text like any other, so it is excluded. */
export const textIsFound = (text: SqlText, _of: unknown, test: TextTest): SqlText =>
  sql`(${text} <> ${textCode(UNRECORDED)} AND ${textPasses(text, test)})`;

/** The distinct `props` among these that have a value of the property, each with this `value`. */
const valuesOfKey = (key: string, props: SqlText): SqlText => sql`
  SELECT props, ${valueOf(sql`token`)} AS value
  FROM (
    SELECT props, ${tokenOfKey(key)} AS token
    FROM (${withPairs(sql`SELECT props FROM (${props}) AS carried WHERE props IS NOT NULL AND ${mayHaveKey(key)} GROUP BY props`)})
  ) AS tokens`;

/** Tests of one value with the same key, as goals have them, look into one set, which a statement makes once. */
export function propertyIsFound({ key, test }: PropertyTest, props: SqlText): SqlText {
  const [value = "", ...others] = test.values;
  const isAmong =
    test.kind === "is" && others.length === 0
      ? sql`(props, ${textCode(value)}) IN (${valuesOfKey(key, props)})`
      : sql`props IN (SELECT props FROM (${valuesOfKey(key, props)}) AS valued WHERE ${textPasses(sql`value`, test)})`;
  return sql`coalesce(${isAmong}, false)`;
}
