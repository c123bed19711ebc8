/** Custom properties by key: each distinct props text of a site is taken apart once, however many events carry it. */
import { NOT_RECORDED, type SiteTexts } from "./site-texts.ts";

/** One key and value of one props text, all as numbers of texts. */
export interface PropertyRow {
  readonly props: number;
  readonly key: number;
  readonly value: number;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function collect(object: Readonly<Record<string, unknown>>, prefix: string, found: Map<string, string>): void {
  for (const [name, value] of Object.entries(object)) {
    if (isObject(value)) collect(value, `${prefix}${name}.`, found);
    else if (Array.isArray(value)) found.set(prefix + name, JSON.stringify(value));
    else if (value !== null) found.set(prefix + name, String(value));
  }
}

/** Keys and values of a props text: nested keys are dotted, values are texts, lists are JSON, null is no value. */
export function propertiesOf(props: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const value: unknown = JSON.parse(props);
  if (isObject(value)) collect(value, "", found);
  return found;
}

export class SiteProperties {
  readonly #known = new Set<number>();
  #added: PropertyRow[] = [];

  /** Takes a props text apart unless it has been. */
  add(code: number, props: string, texts: SiteTexts): void {
    if (code === NOT_RECORDED || this.#known.has(code)) return;
    this.#known.add(code);
    for (const [key, value] of propertiesOf(props)) {
      this.#added.push({ props: code, key: texts.codeOf(key), value: texts.codeOf(value) });
    }
  }

  /** The rows since the last `confirmAdded`. */
  added(): readonly PropertyRow[] {
    return this.#added;
  }

  /** The added rows are in their table now. */
  confirmAdded(): void {
    this.#added = [];
  }
}
