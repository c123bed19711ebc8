/** Whether everyone may see a site's stats, and at which address. */
import { shareUrl } from "../api/page-url.ts";
import { savedSettings } from "./draft.ts";
import { fieldId, SettingsForm, type Editing } from "./settings-form.tsx";
import { Address } from "./address.tsx";

const LABELS = { public: "Public" } as const;

const HINT_ID = `${fieldId("public")}-hint`;

const PublicField = ({ siteId, settings, change, problemOf }: Editing) => (
  <>
    <label class="choice">
      <input
        type="checkbox"
        id={fieldId("public")}
        aria-describedby={HINT_ID}
        checked={settings.public}
        onChange={(event) => change({ public: event.currentTarget.checked })}
      />
      Anyone can see the stats of {siteId}
    </label>
    <p class="hint" id={HINT_ID}>
      Viewers can export every event of the site. Hidden cards are not secret.
    </p>
    <p class="problem" role="alert">
      {problemOf("public")}
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

export const PublicSite = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="public-title">
    <h2 id="public-title">Public site</h2>
    <SettingsForm siteId={siteId} title="Public site" labels={LABELS}>
      {(editing) => <PublicField {...editing} />}
    </SettingsForm>
    {savedSettings(siteId)?.public === true && <PublicAddress siteId={siteId} />}
  </section>
);
