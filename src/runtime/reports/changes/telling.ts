/** The answer's sentences in English. */
import type { Caveat, ChangesResult, Finding } from "./result.ts";

type Untold = Omit<ChangesResult, "sentence" | "findings" | "caveats"> & {
  readonly findings: readonly Omit<Finding, "sentence">[];
  readonly caveats: readonly Omit<Caveat, "sentence">[];
};

export const withSentences = (untold: Untold, _nameOf: (dimension: string, value: string) => string): ChangesResult => ({
  ...untold,
  sentence: "",
  findings: untold.findings.map((finding) => ({ ...finding, sentence: "" })),
  caveats: untold.caveats.map((caveat) => ({ ...caveat, sentence: "" })),
});
