/** Whether everyone may see a site's stats, and at which address. */
import { shareUrl } from "../../api/page-url.ts";
import { savedSettings } from "../site/draft.ts";
import { fieldId, SettingsForm, type Editing } from "../site/settings-form.tsx";
import { Address } from "./address.tsx";

const LABELS = { public: "Public" } as const;

const PublicField = ({ siteId, settings, change, problemOf }: Editing) => (
  <>
    <label class="choice">
      <input
        type="checkbox"
        id={fieldId("public")}
        checked={settings.public}
        onChange={(event) => change({ public: event.currentTarget.checked })}
      />
      Anyone can see the stats of {siteId}
    </label>
    <p class="problem" role="alert">
      {problemOf("public")}
    </p>
  </>
);

const PublicAddress = ({ siteId }: { readonly siteId: string }) => (
  <div class="notice good">
    <p>
      Anyone with this address sees all stats of {siteId} without logging in, and can export them, but changes nothing. Search engines are
      asked not to list the page.
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
