/** The queries whose results rollups store ("measures"), and how to find the measure for a query. */
import { propertyMeasure } from "../../../storage/rollup.ts";
import { type AggregateQuery, definitionOf } from "../../query/aggregate-query.ts";

/**
 * Raise it when rows of a measure change although their SQL does not, for example when sessions are numbered in another way, or when a
 * limit on what rollups hold changes. All rollups are then made again.
 */
const DEFINITIONS_VERSION = 3;

/** A query over all events of a range. */
export interface RolledMeasure {
  readonly name: string;
  readonly query: AggregateQuery;
}

export interface RolledMeasuresOptions {
  readonly measures: readonly RolledMeasure[];
  /** The query of the values of a custom property. */
  readonly ofProperty: (key: string) => AggregateQuery;
  readonly sessionWindowMinutes: number;
  readonly saltRotationDays: number;
  /** The hexadecimal digits of a cryptographic hash. */
  readonly hash: (text: string) => string;
}

export class RolledMeasures {
  readonly measures: readonly RolledMeasure[];
  /** The query of the values of a custom property. Its measure is named by `propertyMeasure`. */
  readonly ofProperty: (key: string) => AggregateQuery;
  /** Differs whenever the rows of any measure may differ for the same events. */
  readonly definitions: string;
  readonly #nameByDefinition: ReadonlyMap<string, string>;

  constructor({ measures, ofProperty, sessionWindowMinutes, saltRotationDays, hash }: RolledMeasuresOptions) {
    this.measures = measures;
    this.ofProperty = ofProperty;
    this.#nameByDefinition = new Map(measures.map(({ name, query }) => [definitionOf(query), name]));
    const settings = [DEFINITIONS_VERSION, sessionWindowMinutes, saltRotationDays];
    this.definitions = hash(JSON.stringify([settings, [...this.#nameByDefinition], definitionOf(ofProperty(""))]));
  }

  /** The measure that has the query's rows; null if none does, as for any filter. */
  nameOf(query: AggregateQuery): string | null {
    const definition = definitionOf(query);
    const name = this.#nameByDefinition.get(definition);
    if (name !== undefined) return name;
    const { property } = query;
    if (typeof property !== "string" || definition !== definitionOf(this.ofProperty(property))) return null;
    return propertyMeasure(property);
  }
}
