/** The keys and values of custom properties in SQL, equal to those of `parseProps`. ClickHouse's JSON functions would change long numbers and arrays. */
import { sql, textCode, type SqlText } from "../../query/sql.ts";

/** The whole text is tokens: strings, marks, separators, and the rest. RE2 and JavaScript agree on this expression. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[:{}[\]]|[\s,]+|[^\s:,{}[\]"]+/;

const SEPARATOR = /^[\s,]/;

const pattern = ({ source }: RegExp) => textCode(source);

/** The value of a JSON string. */
const unquoted = (token: SqlText): SqlText =>
  sql`if(position(${token}, ${textCode("\\")}) = 0, substring(${token}, 2, length(${token}) - 2), JSONExtractString(${token}))`;

/** A property has a value unless it is null or an object, whose keys are properties of their own. */
const HAS_VALUE = sql`(token NOT IN ('null', '{'))`;

/**
 * Expressions for a `WITH`, in terms of the column `props`: `paths`, the keys of all pairs, those of nested objects joined by dots, and
 * `tokens`, the value of each as it is written. An array is one token, which `listed` finds: all but its bracket follow an open one. The path
 * of a key is made of the last keys before it of each smaller depth.
 */
export const PAIRS = sql`
  extractAll(assumeNotNull(props), ${pattern(TOKEN)}) AS pieces,
  arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets,
  arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed,
  arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined,
  arrayFilter(piece -> NOT match(piece, ${pattern(SEPARATOR)}), joined) AS marked,
  arrayShiftLeft(marked, 1) AS following,
  arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
  arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
  arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths,
  arrayMap(quoted -> ${unquoted(sql`quoted`)}, quoted_keys) AS own_keys,
  arrayEnumerate(depths) AS places,
  arrayMap(
    (depth, place) -> arrayStringConcat(
      arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
      '.'
    ),
    depths, places
  ) AS paths`;

/** The keys that have a value, of `PAIRS`. */
export const KEYS_WITH_VALUE = sql`arrayFilter((path, token) -> ${HAS_VALUE}, paths, tokens)`;

/** The place of the last value of a key in `PAIRS`, 0 without one. */
export const placeOfKey = (key: string): SqlText =>
  sql`arrayLastIndex((path, token) -> path = ${textCode(key)} AND ${HAS_VALUE}, paths, tokens)`;

/** A token of `PAIRS` as reports show it. */
export const valueOf = (token: SqlText): SqlText => sql`if(startsWith(${token}, '"'), ${unquoted(token)}, ${token})`;

/** False only if no property of `props` has the key. The last part of a key is within one JSON string, written with escapes or without. */
export function mayHaveKey(key: string): SqlText {
  const lastPart = JSON.stringify(key.slice(key.lastIndexOf(".") + 1)).slice(1);
  return sql`(position(props, ${textCode(lastPart)}) > 0 OR position(props, ${textCode("\\")}) > 0)`;
}
