/** Findings about the whole service: part of the checks of an installation, and the only ones that the first view of the dashboard has. */
import { areRollupsRemade } from "../../src/shared/rollup-progress.ts";
import type { Installation } from "../api/types.ts";
import { countOf, formatCount } from "../format/locale.ts";
import { words } from "../words/words.ts";

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
  const suggestion = `Set \`trust_proxy = ${count}\` and restart if that is the number of your proxies.`;
  if (kind === "too_few")
    return problem(
      "Visitors seem to share the address of a proxy: they count as one, with a wrong or unknown location",
      `${suggestion} Otherwise clients make up the header \`X-Forwarded-For\`: change nothing.`,
    );
  return problem(
    "Visitors can choose their address: requests come through fewer proxies than `trust_proxy` says",
    count === 0
      ? "Have the proxy send `X-Forwarded-For`, or set `trust_proxy = 0` if there is none, and restart."
      : `${suggestion} Otherwise let clients reach only the outermost proxy.`,
  );
}

/** Rollups are remade after a restore, and after an upgrade that computes reports in another way. */
function rollupFindings({ days_made: made, days_due: due }: Installation["rollups"]): Check[] {
  if (!areRollupsRemade(made, due)) return [];
  const finding = `Sums of past days are being made, newest days first: ${formatCount(made)} of ${countOf(due, words.counts.day)}`;
  return [note(finding, "Until then, long ranges take longer. All numbers are complete.")];
}

/** Findings about the whole service, which also stand above the stats. */
export const serviceFindings = ({ proxy, files_left_out: files, rollups }: Installation): Check[] => [
  ...(proxy ? [proxyFinding(proxy)] : []),
  ...rollupFindings(rollups),
  ...(files > 0
    ? [
        problem(
          `Reports leave out ${countOf(files, words.counts.file)} of events: damaged, missing or in the wrong folder`,
          "The log names the files, and `sandpiper verify` says what is wrong with them.",
        ),
      ]
    : []),
];
