/** Sharing: a site that is public to everyone, and share links. */
import { useEffect, useState } from "preact/hooks";
import { shareUrl } from "../api/addresses.ts";
import { problemText } from "../api/http.ts";
import { listShares, revokeShare } from "../api/site.ts";
import type { CreatedShare, Shares } from "../api/types.ts";
import { Checkbox } from "../kit/forms.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction } from "../state/requests.ts";
import { fieldId, savedSettings, SettingsForm, type Editing } from "./settings-form.tsx";
import { createdShares } from "./share-draft.ts";
import { ShareForm } from "./share-form.tsx";
import { Address, CreatedLink, ShareList } from "./share-links.tsx";

const LABELS = { public: "Public" } as const;

const HINT_ID = `${fieldId("public")}-hint`;

const PublicField = ({ siteId, settings, change, field }: Editing) => (
  <>
    <Checkbox
      id={fieldId("public")}
      describedBy={HINT_ID}
      isChecked={settings.public}
      onChange={(isChecked) => change({ public: isChecked })}
    >
      Anyone can see the stats of {siteId}
    </Checkbox>
    <p class="hint" id={HINT_ID}>
      Viewers can export every event of the site. Hidden cards are not secret.
    </p>
    <p class="problem" role="alert">
      {field("public").problem}
    </p>
  </>
);

const PublicAddress = ({ siteId }: { readonly siteId: string }) => (
  <div class="notice good">
    <p>
      Anyone with this URL can view and export all stats of {siteId} without logging in, but can't change anything. Search engines cannot
      read the page, but may list its URL where somebody has posted it.
    </p>
    <Address url={shareUrl(siteId)} name="Public address" copyLabel="Copy address" openLabel="Open in a new tab" />
  </div>
);

const PublicSite = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="public-title">
    <h2 id="public-title">Public site</h2>
    <SettingsForm siteId={siteId} title="Public site" labels={LABELS}>
      {(editing) => <PublicField {...editing} />}
    </SettingsForm>
    {savedSettings(siteId)?.public === true && <PublicAddress siteId={siteId} />}
  </section>
);

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
