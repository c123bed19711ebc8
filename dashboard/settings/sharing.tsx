/** Who else may see a site's stats: everyone, if it is public, and holders of share links. */
import { useEffect, useState } from "preact/hooks";
import { problemText } from "../api/http.ts";
import { listShares, revokeShare } from "../api/shares.ts";
import type { CreatedShare, Shares } from "../api/types.ts";
import { Problem } from "../kit/states.tsx";
import { useAction } from "../state/use-action.ts";
import { CreatedLink } from "./created-link.tsx";
import { PublicSite } from "./public-site.tsx";
import { createdShares } from "./share-draft.ts";
import { ShareForm } from "./share-form.tsx";
import { ShareList } from "./share-list.tsx";

const setCreated = (siteId: string, share: CreatedShare | null): void => {
  createdShares.value = { ...createdShares.value, [siteId]: share };
};

function ShareLinks({ siteId }: { readonly siteId: string }) {
  const [shares, setShares] = useState<Shares | null>(null);
  const { problem, run } = useAction(problemText);
  const created = createdShares.value[siteId];

  const load = async () => setShares(await listShares(siteId));
  useEffect(() => void run(load), []);

  async function revoke(hash: string) {
    await revokeShare(hash);
    if (createdShares.value[siteId]?.share_hash === hash) setCreated(siteId, null);
    await load();
  }

  return (
    <section class="panel" aria-labelledby="links-title">
      <h2 id="links-title">Share links</h2>
      <p class="dim">
        Share links show the dashboard without a login, limited to what you choose. Viewers can export what they see. You can revoke a link
        at any time.
      </p>
      {created && <CreatedLink key={created.share_hash} share={created} onDone={() => setCreated(siteId, null)} />}
      <Problem text={problem} />
      {shares?.length === 0 && <p class="empty">No share links yet</p>}
      {shares && shares.length > 0 && <ShareList shares={shares} onRevoke={(hash) => void run(() => revoke(hash))} />}
      <h3>New link</h3>
      <ShareForm
        siteId={siteId}
        onCreated={async (share) => {
          setCreated(siteId, share);
          await run(load);
        }}
      />
    </section>
  );
}

export const SharingSection = ({ siteId }: { readonly siteId: string }) => (
  <>
    <PublicSite siteId={siteId} />
    <ShareLinks siteId={siteId} />
  </>
);
