/** Reads the properties that one query needs from the props strings of its blocks. Nothing of the result is cached. */
import { EngineFullError, type PropertiesWanted } from "../engine.ts";
import { compiledTest, searchTest } from "../../query/text-matching.ts";
import { parseProps } from "./props-parser.ts";
import type { BlockProps } from "./props-dictionary.ts";
import { StringDictionary } from "./string-dictionary.ts";

/** Characters parsed before other work of the thread runs: a few milliseconds. */
const BATCH_CHARS = 500_000;

/** Size of a row of the relation `properties`. */
const ROW_BYTES = 8;

/** Rows of the relations `properties` and `property_texts`. */
export interface PropertyRows {
  readonly props: Int32Array;
  readonly codes: Int32Array;
  /** The strings of the codes from 1 on. */
  readonly strings: readonly string[];
}

/** Rejects with `EngineFullError` if the rows exceed the wanted bytes, and with the signal's reason if aborted. */
export async function readProperties(
  blocks: readonly BlockProps[],
  wanted: PropertiesWanted,
  yieldToOthers: () => Promise<void>,
  signal: AbortSignal,
): Promise<PropertyRows> {
  const props: number[] = [];
  const codes: number[] = [];
  const strings = new StringDictionary();
  const isFound = wanted.search === undefined ? () => true : compiledTest(searchTest(wanted.search));
  const add = (propsCode: number, text: string) => {
    if (!isFound(text)) return;
    props.push(propsCode);
    codes.push(strings.codeOf(text));
    if (strings.bytes + props.length * ROW_BYTES > wanted.bytesMax)
      throw new EngineFullError("the distinct properties of the range do not fit into the memory of a query");
  };
  let charsLeft = BATCH_CHARS;
  for (const block of blocks) {
    for (const [json, propsCode] of block.entries()) {
      const properties = parseProps(json);
      if (wanted.key === null) for (const key of properties.keys()) add(propsCode, key);
      else {
        const value = properties.get(wanted.key);
        if (value !== undefined) add(propsCode, value);
      }
      charsLeft -= json.length;
      if (charsLeft > 0) continue;
      charsLeft = BATCH_CHARS;
      await yieldToOthers();
      signal.throwIfAborted();
    }
  }
  return { props: Int32Array.from(props), codes: Int32Array.from(codes), strings: strings.added().strings };
}
