/** Custom property keys of a scope, and the values of one (contract 4.4). */
import { invalidInput } from "../errors.ts";
import { queryPropertyKeys, queryPropertyValues } from "./queries/properties.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import type { Scope } from "../query/scope.ts";

/** The form of a key that can be asked for (contract 4.4). */
export const PROPERTY_KEY = /^[A-Za-z0-9_.-]+$/;

/** 400 for a key with other characters than the contract's. */
export function parsePropertyKey(key: string | null): string {
  if (key === null) throw invalidInput('"key" is required');
  if (!PROPERTY_KEY.test(key)) throw invalidInput('"key" must consist of ASCII letters, digits, "_", "-" and "." only');
  return key;
}

/** Ascending. */
export async function propertyKeysOf(ask: Ask, scope: Scope): Promise<string[]> {
  const [rows] = await ask(queryPropertyKeys(scope));
  return rows.map((row) => textIn(row, "name"));
}

export interface PropertyValue {
  readonly value: string;
  readonly visitors: number;
  readonly events: number;
}

/** Visitors descending, then value; of one event's properties only where it is named. */
export async function propertyValuesOf(ask: Ask, scope: Scope, key: string, eventName: string | null): Promise<PropertyValue[]> {
  const [rows] = await ask(queryPropertyValues(scope, key, eventName));
  return rows.map((row) => ({
    value: textIn(row, "value"),
    visitors: numberIn(row, "visitors"),
    events: numberIn(row, "events"),
  }));
}
