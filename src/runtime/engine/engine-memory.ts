/** What the engine may hold and what it holds, as of the last change: events by the size of their files, and the texts that their numbers stand for. */
import {
  PROPERTY_TEXT_BYTES_MAX,
  PROPS_BYTES_ALLOWED_MIN,
  PROPS_SHARE_MAX,
  TEXTS_BYTES_ALLOWED_MIN,
  TEXTS_SHARE_MAX,
} from "../config/limits.ts";
import { EngineFullError, type EngineUsage } from "./engine.ts";

/** What events take in the engine, as a share of what they take in Parquet files: measured at 0.7 where texts repeat. */
export const CACHED_SHARE_OF_PARQUET = 1;

export class EngineMemory {
  readonly #budget: { readonly budgetBytes: number };
  #usage: EngineUsage = { residentBytes: 0, textBytes: 0 };

  constructor(budget: { readonly budgetBytes: number }) {
    this.#budget = budget;
  }

  get budgetBytes(): number {
    return this.#budget.budgetBytes;
  }

  get residentBytes(): number {
    return this.#usage.residentBytes;
  }

  note({ residentBytes, textBytes }: EngineUsage): void {
    this.#usage = { residentBytes, textBytes };
  }

  hasRoomFor(parquetBytes: number): boolean {
    return this.residentBytes + parquetBytes * CACHED_SHARE_OF_PARQUET <= this.budgetBytes;
  }

  /** What properties may take that are kept as texts. */
  get propsBytesMax(): number {
    return Math.max(PROPS_BYTES_ALLOWED_MIN, this.budgetBytes * PROPS_SHARE_MAX);
  }

  /** What the keys, or one key's values, may take that one report finds in a range, or in a chunk of it. */
  get propertyTextBytesMax(): number {
    return Math.min(PROPERTY_TEXT_BYTES_MAX, this.propsBytesMax);
  }

  /** Texts go only with all else of their site, so they may take no more than a share. */
  get hasRoomBesideTexts(): boolean {
    return this.#usage.textBytes <= Math.max(TEXTS_BYTES_ALLOWED_MIN, this.budgetBytes * TEXTS_SHARE_MAX);
  }

  /** Rejects what would fill the memory with texts alone. */
  checkTexts(): void {
    if (this.#usage.textBytes > Math.max(TEXTS_BYTES_ALLOWED_MIN, this.budgetBytes)) {
      throw new EngineFullError("the different texts of the range do not fit into the engine's memory");
    }
  }

  /** Whether so much Parquet should fit, estimated by what the loaded events take. Where few are loaded, that says nothing. */
  shouldFit(parquetBytes: number, cachedParquetBytes: number): boolean {
    const isTelling = cachedParquetBytes * CACHED_SHARE_OF_PARQUET > this.budgetBytes / 4;
    const share = isTelling ? Math.max(CACHED_SHARE_OF_PARQUET, this.residentBytes / cachedParquetBytes) : CACHED_SHARE_OF_PARQUET;
    return parquetBytes * share <= this.budgetBytes;
  }
}
