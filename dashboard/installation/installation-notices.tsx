/** Says above the stats of a site what an administrator has to repair. */
import { urlOf } from "../api/http.ts";
import type { Installation } from "../api/types.ts";
import { Marked } from "../components/marked.tsx";
import { isViewer } from "../state/share.ts";
import { useRequest } from "../state/use-report.ts";
import { site } from "../state/view.ts";
import type { Check } from "./check.ts";
import { filesFinding } from "./files-finding.ts";
import { proxyFinding } from "./proxy-finding.ts";

const findingsIn = ({ proxy, files_left_out: files }: Installation): readonly Check[] => [
  ...(proxy ? [proxyFinding(proxy)] : []),
  ...(files > 0 ? [filesFinding(files)] : []),
];

export function InstallationNotices() {
  const siteId = isViewer ? null : site.value;
  const { data } = useRequest<Installation>(siteId === null ? null : urlOf("/api/installation", { site_id: siteId }));
  return (
    <>
      {(data ? findingsIn(data) : []).map(({ finding, advice = "" }) => (
        <p key={finding} class="notice">
          <Marked text={`${finding}. ${advice}`} />
        </p>
      ))}
    </>
  );
}
