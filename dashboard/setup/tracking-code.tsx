/** The tracking code of a site for a platform, and its dialog. */
import { signal } from "@preact/signals";
import { DEMO_SITE } from "../../src/shared/names.ts";
import { scriptUrl } from "../api/addresses.ts";
import { Dialog } from "../kit/dialog.tsx";
import { CopyButton, Select } from "../kit/forms.tsx";
import { LinkButton, Marked } from "../kit/inline.tsx";
import { closePanel, openPanel, site } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";
import { PLATFORMS } from "./platforms.ts";

/** Shared by all places that show the code. */
const platform = signal(PLATFORMS[0]);

export function Snippet({ siteId }: { readonly siteId: string }) {
  const { where, code } = platform.value;
  const text = code({ siteId, scriptUrl: scriptUrl() });
  return (
    <div class="snippet">
      <Select
        class="platform"
        label={words.setup.platform}
        labels={Object.fromEntries(PLATFORMS.map(({ id, label }) => [id, label]))}
        chosen={platform.value.id}
        onChoose={(chosen) => (platform.value = PLATFORMS.find(({ id }) => id === chosen) ?? PLATFORMS[0])}
      />
      <p>
        <Marked text={where} />
      </p>
      <pre tabIndex={0} aria-label={words.setup.trackingCode}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={words.setup.copyCode} />
    </div>
  );
}

export const TrackingCodePanel = () => (
  <Dialog title={words.setup.trackingCode} onClose={closePanel}>
    {site.value === DEMO_SITE && (
      <p>{rich(words.setup.demoNeedsNone, { add: (text) => <LinkButton onClick={() => openPanel("add-site")}>{text}</LinkButton> })}</p>
    )}
    {site.value !== null && site.value !== DEMO_SITE && (
      <>
        <h3>{site.value}</h3>
        <Snippet siteId={site.value} />
        <p class="hint">
          <Marked text={fill(words.setup.severalSites, { site: site.value })} />
        </p>
      </>
    )}
  </Dialog>
);
