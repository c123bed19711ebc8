/** The engine's memory budget and its current use: decides whether more events, texts or properties fit. */
import { PROPERTY_TEXT_BYTES_MAX, PROPS_BYTES_ALLOWED_MIN, PROPS_SHARE_MAX, TEXTS_BYTES_ALLOWED_MIN } from "../../base/config/limits.ts";
import { EngineFullError, type EngineUsage } from "../engine.ts";

/** Estimated size of events in the engine relative to their Parquet files. Measured: 0.7 if most texts repeat. */
export const CACHED_SHARE_OF_PARQUET = 1;

export class EngineMemory {
  readonly #budget: { readonly budgetBytes: number };
  #usage: EngineUsage = { memoryBytes: 0, textBytes: 0 };
  /** The rows of parts that are kept outside the engine. */
  rowBytes = 0;

  constructor(budget: { readonly budgetBytes: number }) {
    this.#budget = budget;
  }

  get budgetBytes(): number {
    return this.#budget.budgetBytes;
  }

  get memoryBytes(): number {
    return this.#usage.memoryBytes + this.rowBytes;
  }

  note({ memoryBytes, textBytes }: EngineUsage): void {
    this.#usage = { memoryBytes, textBytes };
  }

  hasRoomFor(parquetBytes: number): boolean {
    return this.memoryBytes + parquetBytes * CACHED_SHARE_OF_PARQUET <= this.budgetBytes;
  }

  /** The limit for all properties kept in the engine, in bytes. */
  get propsBytesMax(): number {
    return Math.max(PROPS_BYTES_ALLOWED_MIN, this.budgetBytes * PROPS_SHARE_MAX);
  }

  /** The limit for the property keys, or the values of one key, that a report finds in a range or in a chunk of it, in bytes. */
  get propertyTextBytesMax(): number {
    return Math.min(PROPERTY_TEXT_BYTES_MAX, this.propsBytesMax);
  }

  /** Throws `EngineFullError` if texts alone exceed the budget. */
  checkTexts(): void {
    if (this.#usage.textBytes > Math.max(TEXTS_BYTES_ALLOWED_MIN, this.budgetBytes)) {
      throw new EngineFullError("the distinct texts of the range do not fit into the engine's memory");
    }
  }

  /** True if this much Parquet is expected to fit. Uses the measured ratio of the loaded events once they fill a quarter of the budget. */
  shouldFit(parquetBytes: number, cachedParquetBytes: number): boolean {
    const isMeasured = cachedParquetBytes * CACHED_SHARE_OF_PARQUET > this.budgetBytes / 4;
    const share = isMeasured ? Math.max(CACHED_SHARE_OF_PARQUET, this.memoryBytes / cachedParquetBytes) : CACHED_SHARE_OF_PARQUET;
    return parquetBytes * share <= this.budgetBytes;
  }
}
