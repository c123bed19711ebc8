/** Which of a site's texts match the patterns of a query. No text is ever given to a matcher that backtracks. */
import { QUERY_PATTERNS_MAX, type SqlParameter } from "../engine.ts";
import type { StringDictionary } from "./string-dictionary.ts";
import { TextPattern } from "./text-pattern.ts";

/** Characters that are compared before others get their turn: a few milliseconds, or a tenth of a second at the worst. */
const PORTION_CHARS = 1_000_000;

/** Rows of the relation `matches`. */
export interface MatchedTexts {
  readonly codes: Int32Array;
  /** A bit for each pattern that the text matches. */
  readonly patterns: BigInt64Array;
}

/** The different patterns among a query's parameters. */
export function patternsOf(parameters: readonly SqlParameter[]): readonly string[] {
  const patterns = new Set<string>();
  for (const parameter of parameters) if (typeof parameter === "object" && "pattern" in parameter) patterns.add(parameter.pattern);
  if (patterns.size > QUERY_PATTERNS_MAX)
    throw new TypeError(`a query has at most ${QUERY_PATTERNS_MAX} patterns; this one has ${patterns.size}`);
  return [...patterns];
}

/** The bit that a pattern has in `MatchedTexts.patterns`. */
export const patternBit = (patterns: readonly string[], pattern: string): bigint => 1n << BigInt(patterns.indexOf(pattern));

/** Takes time in proportion to the texts' lengths times the patterns'. Rejects with the signal's reason when aborted. */
export async function matchTexts(
  texts: StringDictionary,
  patterns: readonly string[],
  yieldToOthers: () => Promise<void>,
  signal: AbortSignal,
): Promise<MatchedTexts> {
  const compiled = patterns.map((pattern) => ({ pattern: new TextPattern(pattern), bit: patternBit(patterns, pattern) }));
  const codes: number[] = [];
  const bits: bigint[] = [];
  let left = PORTION_CHARS;
  for (const [text, code] of texts.entries()) {
    let matched = 0n;
    for (const { pattern, bit } of compiled) if (pattern.matches(text)) matched |= bit;
    if (matched !== 0n) {
      codes.push(code);
      bits.push(matched);
    }
    left -= (text.length + 1) * patterns.length;
    if (left > 0) continue;
    left = PORTION_CHARS;
    await yieldToOthers();
    signal.throwIfAborted();
  }
  return { codes: Int32Array.from(codes), patterns: BigInt64Array.from(bits) };
}
