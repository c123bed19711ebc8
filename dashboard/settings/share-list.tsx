/** The share links of a site: what each shows, when it was used, and revoking it. */
import type { Share } from "../api/shares.ts";
import { ConfirmedButton } from "../kit/confirmed-button.tsx";
import { Facts, type Fact } from "./facts.tsx";
import { sharedText, timeOr } from "./share-summary.ts";

const hasExpired = ({ expires_at }: Share): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();

/** Access and frames only where they are not the usual. */
const factsOf = (share: Share): readonly Fact[] => [
  ["Shows", sharedText(share)],
  ...(share.has_password ? [["Password", "Required"] as const] : []),
  ...(share.frame_ancestors.length > 0 ? [["Embeddable on", share.frame_ancestors.join(", ")] as const] : []),
  ["Created", timeOr(share.created_at, "")],
  ["Last used", timeOr(share.last_used_at, "Never")],
  ...(share.expires_at === null ? [] : [[hasExpired(share) ? "Expired" : "Expires", timeOr(share.expires_at, "")] as const]),
];

interface ShareItemProps {
  readonly share: Share;
  readonly onRevoke: () => void;
}

const ShareItem = ({ share, onRevoke }: ShareItemProps) => (
  <li class={share.revoked || hasExpired(share) ? "share over" : "share"}>
    <div class="share-head">
      <h3>{share.name}</h3>
      {share.revoked ? (
        <span class="dim">Revoked</span>
      ) : (
        <ConfirmedButton isSmall label="Revoke" confirmLabel="Confirm revoke" subject={share.name} onConfirm={onRevoke} />
      )}
    </div>
    <Facts facts={factsOf(share)} />
  </li>
);

interface ShareListProps {
  readonly shares: readonly Share[];
  readonly onRevoke: (hash: string) => void;
}

export const ShareList = ({ shares, onRevoke }: ShareListProps) => (
  <ul class="shares" aria-label="Share links">
    {shares.map((share) => (
      <ShareItem key={share.share_hash} share={share} onRevoke={() => onRevoke(share.share_hash)} />
    ))}
  </ul>
);
