/** What the service found about the option `trust_proxy`: for the installation check and for the notice above the stats. */
import type { Installation } from "../api/types.ts";
import { problem, type Check } from "./check.ts";

type ProxyFinding = NonNullable<Installation["proxy"]>;

/** Clients can send the header, too: the reader has to count the proxies. */
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
