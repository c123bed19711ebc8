/** Findings about the whole service: part of the checks of an installation, and the only ones that stand above the stats. */
import { areRollupsRemade } from "../../src/shared/rollup-progress.ts";
import type { Installation } from "../api/types.ts";
import { countOf, formatCount } from "../format/locale.ts";
import { fill, words } from "../words/words.ts";

export interface Check {
  /** `note`: nothing is wrong, but it may explain what the reader sees. */
  readonly verdict: "ok" | "problem" | "note";
  /** Text between backticks is code. */
  readonly finding: string;
  readonly advice?: string;
}

export const ok = (finding: string): Check => ({ verdict: "ok", finding });
export const problem = (finding: string, advice: string): Check => ({ verdict: "problem", finding, advice });
export const note = (finding: string, advice: string): Check => ({ verdict: "note", finding, advice });

/** Clients can send the header as well, so the reader has to count the proxies. */
function proxyFinding({ problem: kind, trust_proxy: count }: NonNullable<Installation["proxy"]>): Check {
  if (kind === "too_few") return problem(words.findings.proxyShared, fill(words.findings.setProxies, { count }));
  return problem(words.findings.addressChosen, count === 0 ? words.findings.noProxy : fill(words.findings.outermost, { count }));
}

/** Rollups are remade after a restore, and after an upgrade that computes reports in another way. */
function rollupFindings({ days_made: made, days_due: due }: Installation["rollups"]): Check[] {
  if (!areRollupsRemade(made, due)) return [];
  const finding = fill(words.findings.sums, { made: formatCount(made), days: countOf(due, words.counts.day) });
  return [note(finding, words.findings.sumsAdvice)];
}

/** Findings about the whole service, which also stand above the stats. */
export const serviceFindings = ({ proxy, files_left_out: files, rollups }: Installation): Check[] => [
  ...(proxy ? [proxyFinding(proxy)] : []),
  ...rollupFindings(rollups),
  ...(files > 0 ? [problem(fill(words.findings.leftOut, { files: countOf(files, words.counts.file) }), words.findings.leftOutAdvice)] : []),
];
