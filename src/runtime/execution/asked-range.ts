/** What questions about a range are put to: the range as a whole, if the engine can hold it, or its chunks one after the other. */
import type { Engine, EngineQuery, NumberColumns, SqlParameter, SqlRow } from "../engine/engine.ts";
import type { PartitionCache } from "../engine/partition-cache.ts";
import type { KeptPartials } from "../engine/partial-aggregates.ts";
import { utcDayOf, type SiteId } from "../../storage/event.ts";
import { rangeOfDays, type DateRange } from "../query/date-range.ts";
import type { NamedChunk, MemoryAdmission } from "./memory-admission.ts";
import type { Chunk } from "./chunks.ts";
import type { SiteRange } from "../query/scope.ts";
import type { SqlText } from "../query/sql.ts";
import { partialColumns, finalizeSql, singlePassSql, type AggregateQuery } from "./partial-aggregate.ts";

/** The rows of several questions. They are asked together, because a range that is computed in chunks is gone through once for each call. */
export type Ask = <const Queries extends readonly AggregateQuery[]>(
  ...queries: Queries
) => Promise<{ readonly [I in keyof Queries]: SqlRow[] }>;

/** For results too long for rows: every column an INTEGER or BIGINT without NULL. */
export type AskNumbers = (question: SqlText) => Promise<NumberColumns>;

/** The texts of numbers in the column `props`, for as long as the visit that gave them lasts. */
export type AskProps = (numbers: readonly number[]) => Promise<string[]>;

type Visitor = (range: DateRange, ask: AskNumbers, askProps: AskProps) => Promise<boolean>;

/** A range bit by bit. */
export interface Stretches {
  /** Visits all, in order of time, until a visit gives false. Questions are to keep to the range of the stretch. */
  visit(visitor: Visitor): Promise<void>;
  /** The rows of a question about texts whose numbers visits have given. */
  askTexts(question: SqlText): Promise<SqlRow[]>;
}

/** Whatever is asked about a range in one go. It may be begun anew, so it keeps nothing outside itself. */
export type Questions<T> = (ask: Ask, stretches: Stretches) => Promise<T>;

export interface AskedRangeOptions {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  readonly room: MemoryAdmission;
}

/** Puts the questions to all of a range at once, which is made resident. */
export function askWhole<T>(
  { engine, partitionCache }: AskedRangeOptions,
  { siteId, range, withProperties = false }: SiteRange,
  signal: AbortSignal,
  withinBudget: boolean,
  questions: Questions<T>,
): Promise<T> {
  return partitionCache.withDays(siteId, range, { signal, withinBudget, onePass: false, withProperties }, (blocks) => {
    const about = ({ text, values }: SqlText) => ({ siteId, blocks, sql: text, parameters: values });
    const rowsOf = (query: AggregateQuery): Promise<SqlRow[]> =>
      engine.query(
        { ...about(query.perVisitor ? query.partial(range) : singlePassSql(query, range)), ...beyondSql(query, partitionCache) },
        signal,
      );
    return questions(oneByOne(rowsOf), {
      visit: async (visitor) =>
        void (await visitor(
          range,
          (question) => engine.queryNumbers(about(question), signal),
          (numbers) => engine.propsTexts(siteId, numbers),
        )),
      askTexts: (question) => engine.query(about(question), signal),
    });
  });
}

/** What a query needs of the engine that SQL does not say. */
const beyondSql = (
  { perVisitor, property }: AggregateQuery,
  { propertyTextBytesMax }: PartitionCache,
): Pick<EngineQuery, "perVisitor" | "properties"> => ({
  ...(perVisitor && { perVisitor }),
  ...(property !== undefined && { properties: { key: property, bytesMax: propertyTextBytesMax } }),
});

/** One query after the other, so that a question takes no more of the engine than any other. */
const oneByOne =
  (rowsOf: (query: AggregateQuery) => Promise<SqlRow[]>): Ask =>
  async (...queries) => {
    const answers: SqlRow[][] = [];
    for (const query of queries) answers.push(await rowsOf(query));
    return answers as never;
  };

/** A query with what is summed up of it, and the parts that make its answer. */
interface OpenQuery {
  readonly query: AggregateQuery;
  readonly kept: KeptPartials;
  readonly parts: number[];
}

/** Stands for any range: what makes the difference between two questions is the rest. */
const ANY_RANGE = rangeOfDays(utcDayOf(0), utcDayOf(0));

/** Equal for two questions if and only if they give the same rows of the same chunk. */
function keyOf({ partial, keys, names, counts, amounts, perVisitor, property }: AggregateQuery): string {
  const { text, values } = partial(ANY_RANGE);
  const spelled = (value: SqlParameter) => (typeof value === "bigint" ? String(value) : value);
  return JSON.stringify([text, values.map(spelled), keys, names, counts, amounts, perVisitor, property]);
}

const nameOf = ({ range }: Chunk): string => `${range.firstDay} ${range.lastDay}`;

/** Puts questions to the chunks of a range: each chunk is made resident for as long as it is worked on. */
export class ChunkedRange {
  readonly #options: AskedRangeOptions;
  readonly #site: Omit<SiteRange, "range">;
  readonly #chunks: readonly Chunk[];
  readonly #signal: AbortSignal;

  constructor(options: AskedRangeOptions, site: Omit<SiteRange, "range">, chunks: readonly Chunk[], signal: AbortSignal) {
    this.#options = options;
    this.#site = site;
    this.#chunks = chunks;
    this.#signal = signal;
  }

  get #siteId(): SiteId {
    return this.#site.siteId;
  }

  async put<T>(questions: Questions<T>): Promise<T> {
    const { engine, partitionCache } = this.#options;
    const ask: Ask = async (...queries) => (await this.#answers(queries)) as never;
    let texts: KeptPartials | null = null;
    try {
      return await questions(ask, {
        visit: async (visitor) => {
          texts ??= await partitionCache.partialAggregates.holdTexts(this.#siteId, this.#signal);
          await this.#visit(visitor);
        },
        askTexts: ({ text, values }) => engine.query({ siteId: this.#siteId, blocks: [], sql: text, parameters: values }, this.#signal),
      });
    } finally {
      if (texts) partitionCache.partialAggregates.release(texts);
    }
  }

  async #visit(visitor: Visitor): Promise<void> {
    const { engine } = this.#options;
    for (const chunk of this.#chunks) {
      const goesOn = await this.#withChunk(chunk, (blocks) =>
        visitor(
          chunk.range,
          ({ text, values }) => engine.queryNumbers({ siteId: this.#siteId, blocks, sql: text, parameters: values }, this.#signal),
          (numbers) => engine.propsTexts(this.#siteId, numbers),
        ),
      );
      if (!goesOn) return;
    }
  }

  /** As all questions about the site name it, whatever they ask. A chunk has the same bytes for all, unless events have come. */
  #named(chunk: Chunk): NamedChunk {
    return { name: JSON.stringify([this.#siteId, nameOf(chunk), chunk.bytes]), bytes: chunk.bytes };
  }

  #withChunk<T>(chunk: Chunk, task: (blocks: readonly number[]) => Promise<T>): Promise<T> {
    const { partitionCache, room } = this.#options;
    const signal = this.#signal;
    const loading = { signal, withinBudget: false, onePass: true, withProperties: this.#site.withProperties ?? false };
    return room.run(this.#named(chunk), signal, () => partitionCache.withDays(this.#siteId, chunk.range, loading, task));
  }

  async #answers(queries: readonly AggregateQuery[]): Promise<SqlRow[][]> {
    const { partialAggregates } = this.#options.partitionCache;
    const open: OpenQuery[] = queries.map((query) => ({
      query,
      kept: partialAggregates.open({ siteId: this.#siteId, key: keyOf(query), columns: partialColumns(query) }),
      parts: [],
    }));
    try {
      for (const chunk of this.#inGoodOrder()) await this.#sumUp(chunk, open);
      const answers: SqlRow[][] = [];
      for (const one of open) answers.push(await this.#total(one));
      return answers;
    } finally {
      for (const { kept } of open) partialAggregates.release(kept);
    }
  }

  /**
   * What is resident already comes first, then what somebody else makes resident, then what follows the last chunk: so
   * questions about the same range that are under way together soon go through it together.
   */
  *#inGoodOrder(): Iterable<Chunk> {
    const { partitionCache, room } = this.#options;
    const left = new Set(this.#chunks);
    let lastMs = Number.NEGATIVE_INFINITY;
    while (left.size > 0) {
      const waiting = [...left];
      const next =
        waiting.find(({ days }) => partitionCache.areCached(this.#siteId, days)) ??
        waiting.find((chunk) => room.isWorkedOn(this.#named(chunk).name)) ??
        waiting.find(({ range }) => range.startMs > lastMs) ??
        waiting[0];
      if (!next) return;
      left.delete(next);
      lastMs = next.range.startMs;
      yield next;
    }
  }

  async #sumUp(chunk: Chunk, open: readonly OpenQuery[]): Promise<void> {
    const { partitionCache } = this.#options;
    const { partialAggregates } = partitionCache;
    const named = { name: nameOf(chunk), version: chunk.version };
    const lacking = open.filter(({ kept, parts }) => {
      const part = partialAggregates.partOf(kept, named);
      if (part !== undefined) parts.push(part);
      return part === undefined;
    });
    if (lacking.length === 0) return;
    await this.#withChunk(chunk, async (blocks) => {
      for (const { query, kept, parts } of lacking) {
        const { text, values } = query.partial(chunk.range);
        const about = { siteId: this.#siteId, blocks, sql: text, parameters: values, ...beyondSql(query, partitionCache) };
        parts.push(await partialAggregates.add(kept, named, about, this.#signal));
      }
    });
  }

  #total({ query, kept, parts }: OpenQuery): Promise<SqlRow[]> {
    const { engine, partitionCache } = this.#options;
    const { text, values } = finalizeSql(query);
    const summary = partitionCache.partialAggregates.partsOf(kept, parts);
    return engine.query({ siteId: this.#siteId, blocks: [], summary, sql: text, parameters: values }, this.#signal);
  }
}
