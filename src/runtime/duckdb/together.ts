/** Rows of several queries by one statement, because to read the events costs more than to group them once more (see `Together`). */
import type { Columns } from "../../storage/columns.ts";
import { type AggregateQuery, definitionOf } from "../query/plan.ts";

const namesIn = (queries: readonly AggregateQuery[]): readonly string[] => queries.flatMap(({ together }) => together?.name ?? []);

/** The query grouped as another one is; itself if it has no such statement. */
const groupedAs = (query: AggregateQuery, names: readonly string[]): AggregateQuery => {
  const { together } = query;
  return together ? { ...query, partial: (range, calendar) => together.partial(names, range, calendar) } : query;
};

/** The queries of these that one statement computes with the first, itself included, with different names. */
export function computedWith(first: AggregateQuery, queries: readonly AggregateQuery[]): readonly AggregateQuery[] {
  if (!first.together) return [first];
  const names = [first.together.name];
  const definition = definitionOf(groupedAs(first, names));
  const found = new Map([[first.together.name, first]]);
  for (const query of queries) {
    if (!query.together || found.has(query.together.name)) continue;
    if (definitionOf(groupedAs(query, names)) === definition) found.set(query.together.name, query);
  }
  return [...found.values()];
}

/** The query whose rows are those of all. */
export function joinedQuery(queries: readonly [AggregateQuery, ...AggregateQuery[]]): AggregateQuery {
  const [first] = queries;
  const { largestOfEach } = first;
  const joined = groupedAs(first, namesIn(queries));
  return { ...joined, keys: ["place"], ...(largestOfEach && { largestOfEach: { ...largestOfEach, key: "place" } }) };
}

function taken(values: Columns[string], places: readonly number[]): Columns[string] {
  if (Array.isArray(values)) return places.map((place) => String(values[place]));
  const numbers = values as Exclude<Columns[string], readonly string[]>;
  const Numbers = numbers.constructor as new (length: number) => Int32Array | Float64Array | BigInt64Array;
  const kept = new Numbers(places.length);
  for (const [i, place] of places.entries()) kept[i] = numbers[place] ?? 0;
  return kept;
}

/** The rows of each query among those of the joined one. */
export function separated(queries: readonly AggregateQuery[], { place, ...columns }: Columns): readonly Columns[] {
  if (!(place instanceof Float64Array)) throw new TypeError("places must be numbers");
  const rows = queries.map((): number[] => []);
  const keys = place.map((at) => Math.floor(at / queries.length));
  for (const [row, at] of place.entries()) rows[at % queries.length]?.push(row);
  return queries.map((query, i) => {
    const [key] = query.keys;
    const ofQuery = rows[i] ?? [];
    const all = key === undefined ? columns : { ...columns, [key]: keys };
    return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, taken(values, ofQuery)] as const));
  });
}
