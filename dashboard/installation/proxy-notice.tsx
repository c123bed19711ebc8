/** Says above the stats that `trust_proxy` is wrong: until it is corrected, the events that arrive have a wrong address. */
import { urlOf } from "../api/http.ts";
import type { Installation } from "../api/types.ts";
import { Marked } from "../components/marked.tsx";
import { useRequest } from "../state/use-report.ts";
import { site } from "../state/view.ts";
import { proxyFinding } from "./proxy-finding.ts";

export function ProxyNotice() {
  const { data } = useRequest<Installation>(site.value === null ? null : urlOf("/api/installation", { site_id: site.value }));
  if (!data?.proxy) return null;
  const { finding, advice = "" } = proxyFinding(data.proxy);
  return (
    <p class="notice">
      <Marked text={`${finding}. ${advice}`} />
    </p>
  );
}
