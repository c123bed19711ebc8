/** The answer's sentences in English. */
import { type ChangeTexts, changeTexts, textOfSegments } from "../../../shared/change-sentences.ts";
import { ENGLISH_CHANGE_WORDS } from "../../../shared/change-words.ts";
import type { Caveat, ChangesResult, Finding } from "./result.ts";

type Untold = Omit<ChangesResult, "sentence" | "findings" | "caveats"> & {
  readonly findings: readonly Omit<Finding, "sentence">[];
  readonly caveats: readonly Omit<Caveat, "sentence">[];
};

export function withSentences(untold: Untold, nameOf: (dimension: string, value: string) => string): ChangesResult {
  const { headline, findings, caveats } = changeTexts(untold, ENGLISH_CHANGE_WORDS, "en", nameOf);
  const sentenceOf = (texts: ChangeTexts["findings"], i: number): string => textOfSegments(texts[i] ?? []);
  return {
    ...untold,
    sentence: textOfSegments(headline),
    findings: untold.findings.map((finding, i) => ({ ...finding, sentence: sentenceOf(findings, i) })),
    caveats: untold.caveats.map((caveat, i) => ({ ...caveat, sentence: sentenceOf(caveats, i) })),
  };
}
