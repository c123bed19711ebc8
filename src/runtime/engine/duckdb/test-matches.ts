/** Which of a site's texts and props strings pass the tests of a query. Each test has a bit. */
import { QUERY_TESTS_MAX, TooManyTestsError } from "../engine.ts";
import type { PropertyTest, SqlParameter } from "../../query/sql.ts";
import { compiledTest, stepsPerChar, type TextTest } from "../../query/text-matching.ts";
import { parseProps } from "./props-parser.ts";

/** Steps of matchers before other work of the thread runs: a few milliseconds, a tenth of a second in the worst case. */
const BATCH_STEPS = 1_000_000;

/** Rows of the relations `matches` and `matching_props`. */
export interface Matches {
  readonly codes: Int32Array;
  /** A bit for each test that the string passes. */
  readonly tests: BigInt64Array;
}

/** Distinct tests, in the order of their bits. */
class Bits<Test> {
  readonly #tests = new Map<string, Test>();
  readonly #numbers = new Map<string, bigint>();

  add(test: Test): void {
    const key = JSON.stringify(test);
    if (this.#tests.has(key)) return;
    this.#numbers.set(key, 1n << BigInt(this.#tests.size));
    this.#tests.set(key, test);
    if (this.#tests.size > QUERY_TESTS_MAX) throw new TooManyTestsError(`a query has at most ${QUERY_TESTS_MAX} different tests`);
  }

  of(test: Test): bigint {
    return this.#numbers.get(JSON.stringify(test)) ?? 0n;
  }

  get tests(): readonly Test[] {
    return [...this.#tests.values()];
  }
}

/** The tests among the parameters of a query. */
export class QueryTests {
  readonly texts = new Bits<TextTest>();
  readonly properties = new Bits<PropertyTest>();

  constructor(parameters: readonly SqlParameter[]) {
    for (const parameter of parameters) {
      if (typeof parameter !== "object") continue;
      if ("test" in parameter) this.texts.add(parameter.test);
      if ("propertyTest" in parameter) this.properties.add(parameter.propertyTest);
    }
  }
}

type Strings = Iterable<readonly [text: string, code: number]>;

/** Finds the strings that pass tests. */
export interface Matching {
  /** Steps for each character of a string, at most. */
  readonly weight: number;
  /** Tests these strings, too. Rejects as `next` does, which lets other work run. */
  test(strings: Strings, next: () => Promise<void>): Promise<void>;
  readonly matches: Matches;
}

/** `bitsOf` returns the bits of a string, in up to `weight` steps for each of its characters. */
function createMatching(bitsOf: (text: string) => bigint, weight: number): Matching {
  const codes: number[] = [];
  const bits: bigint[] = [];
  return {
    weight,
    async test(strings, next) {
      let stepsLeft = BATCH_STEPS;
      for (const [text, code] of strings) {
        const passed = bitsOf(text);
        if (passed !== 0n) {
          codes.push(code);
          bits.push(passed);
        }
        stepsLeft -= (text.length + 1) * weight;
        if (stepsLeft > 0) continue;
        stepsLeft = BATCH_STEPS;
        await next();
      }
    },
    get matches() {
      return { codes: Int32Array.from(codes), tests: BigInt64Array.from(bits) };
    },
  };
}

const stepsOf = (tests: readonly TextTest[]): number => tests.reduce((steps, test) => steps + stepsPerChar(test), 0);

const bitOf = (position: number): bigint => 1n << BigInt(position);

/** Takes time proportional to the total length of the texts times the steps per character. */
export function createTextMatching(tests: readonly TextTest[]): Matching {
  const passes = tests.map(compiledTest);
  return createMatching((text) => passes.reduce((bits, test, i) => (test(text) ? bits | bitOf(i) : bits), 0n), stepsOf(tests));
}

/** The same for props strings, which are parsed once for all tests. */
export function createPropsMatching(tests: readonly PropertyTest[]): Matching {
  const passes = tests.map(({ key, test }) => ({ key, passes: compiledTest(test) }));
  const bitsOf = (json: string) => {
    const properties = parseProps(json);
    return passes.reduce((bits, { key, passes: test }, i) => {
      const value = properties.get(key);
      return value !== undefined && test(value) ? bits | bitOf(i) : bits;
    }, 0n);
  };
  return createMatching(bitsOf, 1 + stepsOf(tests.map(({ test }) => test)));
}
