/** The tracking code of a site: the snippet, the form that makes one for a new site, and their dialog. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { scriptUrl } from "../api/tracking-script.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Marked } from "../components/marked.tsx";
import { closePanel, site } from "../state/view.ts";
import { PLATFORMS } from "./platforms.ts";

/** docs/http-api.md, "Site ids". */
const SITE_ID = /^[A-Za-z0-9.\-_:]{1,256}$/;

/** The domain of a pasted URL; null if it is no site id. */
function siteIdFrom(typed: string): string | null {
  const domain = typed
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/^www\./i, "")
    .replace(/\/.*$/, "");
  return SITE_ID.test(domain) ? domain : null;
}

/** The chosen platform, the same wherever the code is shown. */
const platform = signal(PLATFORMS[0]);

const PlatformMenu = () => (
  <label class="platform">
    Platform
    <select
      value={platform.value.id}
      onChange={(event) => {
        platform.value = PLATFORMS.find(({ id }) => id === event.currentTarget.value) ?? PLATFORMS[0];
      }}
    >
      {PLATFORMS.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  </label>
);

/** The code of a site for the chosen platform, and where to put it. */
export function Snippet({ siteId }: { readonly siteId: string }) {
  const { where, code } = platform.value;
  const text = code({ siteId, scriptUrl: scriptUrl() });
  return (
    <div class="snippet">
      <PlatformMenu />
      <p>
        <Marked text={where} />
      </p>
      <pre tabIndex={0} aria-label="Tracking code">
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label="Copy tracking code" />
    </div>
  );
}

/** `onChange` gets the site id while the domain is valid, else null. */
export function NewSiteForm({ onChange }: { readonly onChange?: (siteId: string | null) => void }) {
  const [typed, setTyped] = useState("");
  const siteId = siteIdFrom(typed);
  return (
    <>
      <div class="form">
        <label>
          Domain
          <input
            type="text"
            name="site"
            placeholder="example.com"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              onChange?.(siteIdFrom(event.currentTarget.value));
            }}
          />
        </label>
        {typed !== "" && siteId === null && <p class="problem">Enter a domain like example.com</p>}
      </div>
      {siteId !== null && <Snippet siteId={siteId} />}
    </>
  );
}

export const TrackingCodePanel = () => (
  <Dialog title="Tracking code" onClose={closePanel}>
    {site.value !== null && (
      <>
        <h3>{site.value}</h3>
        <Snippet siteId={site.value} />
      </>
    )}
    <h3>Add a site</h3>
    <NewSiteForm />
    <p class="dim">It appears in the list of sites with its first event.</p>
  </Dialog>
);
