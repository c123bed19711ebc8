/** Whether everyone may see a site's stats, and at which address. */
import { shareUrl } from "../../api/page-url.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { savedSettings } from "../site/draft.ts";
import { fieldId, SettingsForm, type Editing } from "../site/settings-form.tsx";

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

function Address({ siteId }: { readonly siteId: string }) {
  const url = shareUrl(siteId);
  return (
    <div class="notice good">
      <p>
        Anyone with this address sees all stats of {siteId} without logging in, and can export them, but changes nothing. Search engines are
        asked not to list the page.
      </p>
      <pre tabIndex={0} aria-label="Public address">
        <code>{url}</code>
      </pre>
      <div class="actions">
        <CopyButton text={url} label="Copy address" />
        <a class="button" href={url} target="_blank" rel="noopener">
          Open in a new tab
        </a>
      </div>
    </div>
  );
}

export const PublicSite = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="public-title">
    <h2 id="public-title">Public site</h2>
    <SettingsForm siteId={siteId} title="Public site" labels={LABELS}>
      {(editing) => <PublicField {...editing} />}
    </SettingsForm>
    {savedSettings(siteId)?.public === true && <Address siteId={siteId} />}
  </section>
);
