/** Reads the properties that one query needs from the props strings of its blocks. Nothing of the result is cached. */
import { EngineFullError, type PropertiesWanted } from "../engine.ts";
import { compiledTest, searchTest, stepsPerChar } from "../../query/text-matching.ts";
import { parseProps } from "./props-parser.ts";
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

export interface PropertyReader {
  /** Steps of the search for each character, at most; 0 without one: what is read then is bounded by the wanted bytes. */
  readonly weight: number;
  /**
   * Adds the rows of these props strings. Rejects with `EngineFullError` if there are more than the wanted bytes, and as `next` does,
   * which lets other work run.
   */
  read(entries: Iterable<readonly [props: string, code: number]>, next: () => Promise<void>): Promise<void>;
  readonly rows: PropertyRows;
}

export function createPropertyReader(wanted: PropertiesWanted): PropertyReader {
  const props: number[] = [];
  const codes: number[] = [];
  const strings = new StringDictionary();
  const search = wanted.search === undefined ? null : searchTest(wanted.search);
  const isFound = search ? compiledTest(search) : () => true;
  const add = (propsCode: number, text: string) => {
    if (!isFound(text)) return;
    props.push(propsCode);
    codes.push(strings.codeOf(text));
    if (strings.bytes + props.length * ROW_BYTES > wanted.bytesMax)
      throw new EngineFullError("the distinct properties of the range do not fit into the memory of a query");
  };
  return {
    weight: search ? stepsPerChar(search) : 0,
    async read(entries, next) {
      let charsLeft = BATCH_CHARS;
      for (const [json, propsCode] of entries) {
        const properties = parseProps(json);
        if (wanted.key === null) for (const key of properties.keys()) add(propsCode, key);
        else {
          const value = properties.get(wanted.key);
          if (value !== undefined) add(propsCode, value);
        }
        charsLeft -= json.length;
        if (charsLeft > 0) continue;
        charsLeft = BATCH_CHARS;
        await next();
      }
    },
    get rows() {
      return { props: Int32Array.from(props), codes: Int32Array.from(codes), strings: strings.added().strings };
    },
  };
}
