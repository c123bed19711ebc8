/** Which of a site's strings match the wildcard patterns of a query. */
import { WildcardPattern } from "../../config/wildcard-pattern.ts";
import { QUERY_PATTERNS_MAX } from "../engine.ts";
import type { SqlParameter } from "../../query/sql.ts";
import type { StringDictionary } from "./string-dictionary.ts";

/** Characters compared before other work of the thread runs: a few milliseconds, a tenth of a second in the worst case. */
const BATCH_CHARS = 1_000_000;

/** Rows of the relation `matches`. */
export interface WildcardMatches {
  readonly codes: Int32Array;
  /** A bit for each pattern that the string matches. */
  readonly patterns: BigInt64Array;
}

/** The distinct patterns among the parameters of a query. */
export function patternsOf(parameters: readonly SqlParameter[]): readonly string[] {
  const patterns = new Set<string>();
  for (const parameter of parameters) if (typeof parameter === "object" && "pattern" in parameter) patterns.add(parameter.pattern);
  if (patterns.size > QUERY_PATTERNS_MAX)
    throw new TypeError(`a query has at most ${QUERY_PATTERNS_MAX} patterns; this one has ${patterns.size}`);
  return [...patterns];
}

/** The bit of a pattern in `WildcardMatches.patterns`. */
export const patternBit = (patterns: readonly string[], pattern: string): bigint => 1n << BigInt(patterns.indexOf(pattern));

/** Takes time proportional to the total length of the strings times that of the patterns. Rejects with the signal's reason if aborted. */
export async function matchStrings(
  strings: StringDictionary,
  patterns: readonly string[],
  yieldToOthers: () => Promise<void>,
  signal: AbortSignal,
): Promise<WildcardMatches> {
  const compiled = patterns.map((pattern) => ({ pattern: new WildcardPattern(pattern), bit: patternBit(patterns, pattern) }));
  const codes: number[] = [];
  const bits: bigint[] = [];
  let charsLeft = BATCH_CHARS;
  for (const [text, code] of strings.entries()) {
    let matched = 0n;
    for (const { pattern, bit } of compiled) if (pattern.matches(text)) matched |= bit;
    if (matched !== 0n) {
      codes.push(code);
      bits.push(matched);
    }
    charsLeft -= (text.length + 1) * patterns.length;
    if (charsLeft > 0) continue;
    charsLeft = BATCH_CHARS;
    await yieldToOthers();
    signal.throwIfAborted();
  }
  return { codes: Int32Array.from(codes), patterns: BigInt64Array.from(bits) };
}
