/** The port to the arithmetic of rollups: reads, adds and encodes them. In a thread on Node, so that it does not delay ingestion. */
import { type Columns, memoryOf } from "../../../storage/columns.ts";
import { LruMap } from "../../../storage/lru-map.ts";
import type { ObjectKey, ObjectStore } from "../../../storage/object-store.ts";
import { type Compress, encodeRollup, type OpenedRollup, openRollup } from "../../../storage/rollup-file.ts";
import { isPropertyMeasure, type Rollup, type RollupHeader, type RollupOrigin } from "../../../storage/rollup.ts";
import { ROLLUP_EVENT_BYTES_MAX, ROLLUP_MEASURE_ROWS_MAX, ROLLUP_READS_MAX } from "../../base/config/report-limits.ts";
import { reasonOf } from "../../base/metrics/log.ts";
import { type DateRange, rangeOfDays } from "../../query/date-range.ts";
import { type ComputedMeasures, computeMeasures, type EventsToRead, UnusableEventsError } from "./event-measures.ts";
import { fileOf } from "./rollup-origin.ts";
import { type RollupSource, sumOfParts } from "./rollup-sum.ts";

/** The bytes of a rollup, or the salt period whose events cannot be in one. */
export type MadeRollup = { readonly bytes: Uint8Array } | { readonly unusable: DateRange; readonly reason: string };

export interface RollupCalculator {
  /**
   * Headers in the order of the keys; null for an object that is missing, damaged or of another format. Rejects if none can be read at all.
   */
  headers(keys: readonly ObjectKey[]): Promise<readonly (RollupHeader | null)[]>;
  /**
   * The rows of a measure in each of these rollups, which have it, or all properties if it is one of a property. Nobody may change them.
   * Rejects if a rollup cannot be read.
   */
  rows(measure: string, rollups: readonly ObjectKey[]): Promise<readonly Columns[]>;
  /**
   * The file of a new rollup, the sum of other rollups and of events, which together are its parts. It lacks measures that any part
   * lacks or that have too many rows, properties beyond a number, and hours that no report asks for. Equal parts make equal bytes on the
   * same platform. Rejects if a rollup cannot be read.
   */
  make(origin: RollupOrigin, rollups: readonly ObjectKey[], events: EventsToRead): Promise<MadeRollup>;
  close(): Promise<void>;
}

/** Loaded values, the most recently used ones up to a size. Concurrent loads of a key are one load, and failures are not cached. */
export class LoadCache<Key, Value> {
  readonly #loaded: LruMap<Key, Value>;
  readonly #loading = new Map<Key, Promise<Value>>();

  /** `onEvict` is also called with values that are too large to be cached. */
  constructor(bytesMax: number, sizeOf: (value: Value) => number, onEvict: (value: Value) => void = () => {}) {
    this.#loaded = new LruMap({ max: bytesMax, weightOf: sizeOf, onEvict });
  }

  async get(key: Key, load: () => Promise<Value>): Promise<Value> {
    const loaded = this.#loaded.get(key);
    const known = loaded === undefined ? this.#loading.get(key) : loaded;
    if (known !== undefined) return known;
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      this.#loaded.set(key, value);
      return value;
    } finally {
      this.#loading.delete(key);
    }
  }
}

interface RollupCalculatorLimits {
  readonly fileBytesMax: number;
  /** Limit of decompressed bytes of these files, kept for the next measure. */
  readonly unpackedBytesMax: number;
  readonly measureBytesMax: number;
  /** Limit of the rows of rollups that were made, kept until they are added to those of a longer span. None by default. */
  readonly madeBytesMax?: number;
  /** Compresses the pages of files; by default the platform's streams, which do not block the thread. */
  readonly gzip?: Compress;
  /** Memory for making a rollup of events; by default `ROLLUP_EVENT_BYTES_MAX`. */
  readonly eventBytesMax?: number;
  /** Rows of a measure of a rollup; by default `ROLLUP_MEASURE_ROWS_MAX`. */
  readonly measureRowsMax?: number;
  /** Called every few milliseconds while a rollup is made, where other work needs the thread. */
  readonly yieldToOthers?: () => Promise<void>;
}

/** The file is not a readable rollup: it is missing, damaged or of another format. */
class UnreadableRollupError extends Error {}

function openOrThrow(key: ObjectKey, bytes: Uint8Array): OpenedRollup {
  try {
    return openRollup(bytes);
  } catch (error) {
    throw new UnreadableRollupError(`the rollup ${key} cannot be read: ${reasonOf(error)}`);
  }
}

/** Maps at most `ROLLUP_READS_MAX` at a time, in order. */
async function mapInTurns<Result>(keys: readonly ObjectKey[], map: (key: ObjectKey) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let i = 0; i < keys.length; i += ROLLUP_READS_MAX) {
    results.push(...(await Promise.all(keys.slice(i, i + ROLLUP_READS_MAX).map(map))));
  }
  return results;
}

const bytesOfRows = ({ measures }: Rollup): number => [...measures.values()].reduce((sum, columns) => sum + memoryOf(columns), 0);

const release = (file: OpenedRollup): void => file.release();

/** The arithmetic of rollups on the calling thread, with caches of what was used last. */
export function createInlineRollupCalculator(objects: Pick<ObjectStore, "get">, limits: RollupCalculatorLimits): RollupCalculator {
  const computation = {
    readFile: (key: ObjectKey) => objects.get(key),
    rowsMax: limits.measureRowsMax ?? ROLLUP_MEASURE_ROWS_MAX,
    bytesMax: limits.eventBytesMax ?? ROLLUP_EVENT_BYTES_MAX,
    yieldToOthers: limits.yieldToOthers ?? (async () => {}),
  };
  const files = new LoadCache<ObjectKey, OpenedRollup>(limits.fileBytesMax, ({ bytes }) => bytes, release);
  const unpacked = new LoadCache<OpenedRollup, OpenedRollup>(limits.unpackedBytesMax, ({ unpackedBytes }) => unpackedBytes, release);
  const made = new LruMap<ObjectKey, Rollup>({ max: limits.madeBytesMax ?? 0, weightOf: bytesOfRows });
  const measures = new LoadCache<string, Columns | null>(limits.measureBytesMax, (columns) => memoryOf(columns ?? {}));

  async function load(key: ObjectKey): Promise<OpenedRollup> {
    const bytes = await objects.get(key);
    if (!bytes) throw new UnreadableRollupError(`there is no rollup ${key}`);
    const file = openOrThrow(key, bytes);
    // It may have been replaced since its header was checked.
    if (fileOf(file.header).key !== key) throw new UnreadableRollupError(`the file ${key} is another rollup`);
    return file;
  }

  const open = (key: ObjectKey): Promise<OpenedRollup> => files.get(key, () => load(key));

  async function headerOf(key: ObjectKey): Promise<RollupHeader | null> {
    try {
      return (await open(key)).header;
    } catch (error) {
      if (error instanceof UnreadableRollupError) return null;
      throw error;
    }
  }

  /** A failure to read some files is theirs, as on a damaged disk, and they are made again; a failure to read all may end by itself. */
  async function headersOf(keys: readonly ObjectKey[]): Promise<(RollupHeader | null)[]> {
    const failures: unknown[] = [];
    const noted = (error: unknown): null => {
      failures.push(error);
      return null;
    };
    const headers = await mapInTurns(keys, (key) => headerOf(key).catch(noted));
    if (failures.length > 0 && failures.length === keys.length) throw failures[0];
    return headers;
  }

  async function decode(key: ObjectKey, measure: string): Promise<Columns | null> {
    const file = await open(key);
    const columns = await file.measure(measure);
    await unpacked.get(file, () => Promise.resolve(file));
    return columns;
  }

  /** The rows of a measure. A property without a measure has no events in a rollup that has all properties. */
  async function rowsOf(key: ObjectKey, measure: string): Promise<Columns> {
    const columns = await measures.get(`${key}\n${measure}`, () => decode(key, measure));
    if (columns) return columns;
    if (isPropertyMeasure(measure) && (await open(key)).header.hasAllProperties) return {};
    throw new Error(`the rollup ${key} has no measure ${measure}`);
  }

  const computedSource = ({ measures: rows, hasAllProperties }: ComputedMeasures): RollupSource => ({
    measures: new Set(rows.keys()),
    hasAllProperties,
    read: async (name) => rows.get(name) ?? {},
  });

  const sourceOf = ({ header, measure }: OpenedRollup): RollupSource => ({
    measures: new Set(Object.keys(header.measures)),
    hasAllProperties: header.hasAllProperties,
    read: async (name) => (await measure(name)) ?? {},
  });

  /** A rollup is mostly added once, soon after it was made. */
  async function partOf(key: ObjectKey): Promise<RollupSource> {
    const rollup = made.get(key);
    made.delete(key);
    return rollup ? computedSource(rollup) : sourceOf(await open(key));
  }

  return {
    headers: headersOf,
    rows: (measure, rollups) => mapInTurns(rollups, (key) => rowsOf(key, measure)),
    async make(origin, rollups, events) {
      const sources = await mapInTurns(rollups, partOf);
      try {
        if (events.days.length > 0) sources.push(computedSource(await computeMeasures(origin, events, computation)));
      } catch (error) {
        if (error instanceof UnusableEventsError) return { unusable: rangeOfDays(error.firstDay, error.lastDay), reason: error.message };
        throw error;
      }
      const rollup = await sumOfParts(origin, sources, computation.rowsMax);
      made.set(fileOf(origin).key, rollup);
      return { bytes: await encodeRollup(rollup, limits.gzip) };
    },
    close: () => Promise.resolve(),
  };
}
