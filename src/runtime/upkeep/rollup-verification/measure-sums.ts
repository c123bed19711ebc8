/** The sums of all measures over salt periods that are added one after another, in bounded memory. */
import { isPropertyMeasure, type Measures } from "../../../storage/rollup.ts";
import { ROLLUP_MEASURE_ROWS_MAX, ROLLUP_PROPERTIES_MAX } from "../../base/config/report-limits.ts";
import { MeasureSum } from "../../duckdb/rollups/measure-sum.ts";

export class MeasureSums {
  readonly #isNeeded: (measure: string) => boolean;
  readonly #sums = new Map<string, MeasureSum>();
  readonly #dropped = new Set<string>();

  /** A measure that is not needed is dropped if it has more rows, or is of more properties, than a rollup may have. */
  constructor(isNeeded: (measure: string) => boolean) {
    this.#isNeeded = isNeeded;
  }

  add(measures: Measures): void {
    for (const [name, columns] of measures) {
      if (this.#dropped.has(name)) continue;
      const sum = this.#sums.get(name) ?? new MeasureSum();
      this.#sums.set(name, sum);
      sum.add(columns);
      if (!this.#isNeeded(name) && (sum.rows > ROLLUP_MEASURE_ROWS_MAX || this.#hasTooManyProperties(name))) this.#drop(name);
    }
  }

  #hasTooManyProperties(name: string): boolean {
    return isPropertyMeasure(name) && this.names.filter(isPropertyMeasure).length > ROLLUP_PROPERTIES_MAX;
  }

  #drop(name: string): void {
    this.#sums.delete(name);
    this.#dropped.add(name);
  }

  /** The measures that were not dropped. */
  get names(): readonly string[] {
    return [...this.#sums.keys()];
  }

  isDropped(name: string): boolean {
    return this.#dropped.has(name);
  }

  /** The sum of a measure; without rows if no part has it. */
  sum(name: string): MeasureSum {
    return this.#sums.get(name) ?? new MeasureSum();
  }
}
