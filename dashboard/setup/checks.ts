/** Findings of the installation check, and those that also stand above the stats. */
import type { Installation } from "../api/types.ts";
import { countOf } from "../format/locale.ts";

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

export const filesFinding = (count: number): Check =>
  problem(
    `Reports leave out ${countOf(count, "file")} of events: damaged, missing or in the wrong folder`,
    "The log names the files, and `sandpiper verify` says what is wrong with them.",
  );

type ProxyFinding = NonNullable<Installation["proxy"]>;

/** Clients can send the header as well, so the reader has to count the proxies. */
export function proxyFinding({ problem: kind, trust_proxy: count }: ProxyFinding): Check {
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
