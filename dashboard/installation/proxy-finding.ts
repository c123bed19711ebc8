/** What the service found about the option `trust_proxy`: for the installation check and for the notice above the stats. */
import type { Installation } from "../api/types.ts";
import { problem, type Check } from "./check.ts";

type ProxyFinding = NonNullable<Installation["proxy"]>;

export function proxyFinding({ problem: kind, trust_proxy: count }: ProxyFinding): Check {
  if (kind === "too_few")
    return problem(
      "Visitors share the address of a proxy: they count as one, with a wrong or unknown location",
      `If the proxies in front of this server are yours, set \`trust_proxy = ${count}\` and restart.`,
    );
  return problem(
    "Visitors can choose their address: requests come through fewer proxies than `trust_proxy` says",
    count === 0
      ? "Have the proxy send `X-Forwarded-For`, or set `trust_proxy = 0` if there is none, and restart."
      : `Set \`trust_proxy = ${count}\` and restart.`,
  );
}
