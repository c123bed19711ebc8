/** Says above the stats of a site what an administrator has to repair. */
import type { Installation } from "../api/types.ts";
import { Marked } from "../kit/marked.tsx";
import type { Check } from "./check.ts";
import { filesFinding } from "./files-finding.ts";
import { proxyFinding } from "./proxy-finding.ts";

const findingsIn = ({ proxy, files_left_out: files }: Installation): readonly Check[] => [
  ...(proxy ? [proxyFinding(proxy)] : []),
  ...(files > 0 ? [filesFinding(files)] : []),
];

export const InstallationNotices = ({ installation }: { readonly installation: Installation }) => (
  <>
    {findingsIn(installation).map(({ finding, advice = "" }) => (
      <p key={finding} class="notice">
        <Marked text={`${finding}. ${advice}`} />
      </p>
    ))}
  </>
);
