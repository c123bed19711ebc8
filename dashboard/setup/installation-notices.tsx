/** Notices above the stats about problems for an administrator. */
import type { Installation } from "../api/types.ts";
import { Marked } from "../kit/inline.tsx";
import { serviceFindings } from "./service-findings.ts";

export const InstallationNotices = ({ installation }: { readonly installation: Installation }) => (
  <>
    {serviceFindings(installation).map(({ finding, advice = "" }) => (
      <p key={finding} class="notice">
        <Marked text={`${finding}. ${advice}`} />
      </p>
    ))}
  </>
);
