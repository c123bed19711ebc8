/** The texts and props strings of a site that pass the tests of a query. Each test has a bit. */
import { QUERY_TESTS_MAX, TooManyTestsError } from "../engine.ts";
import type { PropertyTest, SqlParameter } from "../../query/sql.ts";
import { compiledTest, stepsPerChar, type TextTest } from "../../query/text-matching.ts";
import { parseProps } from "./props-parser.ts";

/** Steps of matchers before other work of the thread runs: a millisecond, 20 in the worst case. A test of one text is one step at least. */
const BATCH_STEPS = 100_000;

/** Rows of the relations `matches` and `matching_props`. */
export interface Matches {
  readonly codes: Int32Array;
  /** A bit for each test that the string passes. */
  readonly tests: BigInt64Array;
}

/** A test of a query. */
export interface WithBit<Test> {
  readonly test: Test;
  readonly bit: bigint;
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

  has(test: Test): boolean {
    return this.#numbers.has(JSON.stringify(test));
  }

  get tests(): readonly Test[] {
    return [...this.#tests.values()];
  }

  /** The tests for which `isWanted` returns true, with their bits. */
  filter(isWanted: (test: Test) => boolean): readonly WithBit<Test>[] {
    return this.tests.filter(isWanted).map((test) => ({ test, bit: this.of(test) }));
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

/** A test that is ready to run. */
interface ReadyTest {
  readonly bit: bigint;
  /** Steps for each character, at most. */
  readonly weight: number;
  readonly passes: (value: string) => boolean;
}

/** `valueOf` returns what a test reads of a string; undefined if there is nothing. */
function createMatching<Ready extends ReadyTest>(
  tests: readonly Ready[],
  readerOf: (text: string) => (test: Ready) => string | undefined,
): Matching {
  const codes: number[] = [];
  const bits: bigint[] = [];
  return {
    weight: tests.reduce((sum, { weight }) => sum + weight, 0),
    async test(strings, next) {
      let stepsLeft = BATCH_STEPS;
      for (const [text, code] of strings) {
        const valueOf = readerOf(text);
        let passed = 0n;
        for (const test of tests) {
          const value = valueOf(test);
          if (value !== undefined && test.passes(value)) passed |= test.bit;
          stepsLeft -= (text.length + 1) * test.weight;
          if (stepsLeft > 0) continue;
          stepsLeft = BATCH_STEPS;
          await next();
        }
        if (passed === 0n) continue;
        codes.push(code);
        bits.push(passed);
      }
    },
    get matches() {
      return { codes: Int32Array.from(codes), tests: BigInt64Array.from(bits) };
    },
  };
}

/** Takes time proportional to the total length of the texts times the steps per character. */
export function createTextMatching(tests: readonly WithBit<TextTest>[]): Matching {
  const ready = tests.map(({ test, bit }) => ({ bit, weight: stepsPerChar(test), passes: compiledTest(test) }));
  return createMatching(ready, (text) => () => text);
}

/** Matching of props strings, which are parsed once for all tests. */
export function createPropsMatching(tests: readonly WithBit<PropertyTest>[]): Matching {
  const ready = tests.map(({ test: { key, test }, bit }) => ({ key, bit, weight: 1 + stepsPerChar(test), passes: compiledTest(test) }));
  return createMatching(ready, (json) => {
    const properties = parseProps(json);
    return ({ key }) => properties.get(key);
  });
}
