/** What a query wants to know of the properties of its blocks: found in their texts when it is asked, and kept no longer. */
import { EngineFullError, type PropertiesWanted } from "../engine.ts";
import { propertiesOf } from "./properties.ts";
import type { BlockProps } from "./site-props.ts";
import { StringDictionary } from "./string-dictionary.ts";

/** Characters of texts that are taken apart before others get their turn: some milliseconds. */
const PORTION_CHARS = 500_000;

/** What a row of the relation `properties` takes. */
const ROW_BYTES = 8;

/** Rows of the relations `properties` and `property_texts`. */
export interface FoundProperties {
  readonly props: Int32Array;
  readonly codes: Int32Array;
  /** From number 1 on. */
  readonly texts: readonly string[];
}

/** Rejects with `EngineFullError` when there is more than is wanted, or with the signal's reason when aborted. */
export async function findProperties(
  blocks: readonly BlockProps[],
  wanted: PropertiesWanted,
  yieldToOthers: () => Promise<void>,
  signal: AbortSignal,
): Promise<FoundProperties> {
  const props: number[] = [];
  const codes: number[] = [];
  const texts = new StringDictionary();
  const add = (number: number, text: string) => {
    props.push(number);
    codes.push(texts.codeOf(text));
    if (texts.bytes + props.length * ROW_BYTES > wanted.bytesMax)
      throw new EngineFullError("the different properties of the range are too long together");
  };
  let left = PORTION_CHARS;
  for (const block of blocks) {
    for (const [text, number] of block.entries()) {
      const properties = propertiesOf(text);
      if (wanted.key === null) for (const key of properties.keys()) add(number, key);
      else {
        const value = properties.get(wanted.key);
        if (value !== undefined) add(number, value);
      }
      left -= text.length;
      if (left > 0) continue;
      left = PORTION_CHARS;
      await yieldToOthers();
      signal.throwIfAborted();
    }
  }
  return { props: Int32Array.from(props), codes: Int32Array.from(codes), texts: texts.added().texts };
}
