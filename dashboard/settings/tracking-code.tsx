/** The tracking code of a site: the snippet, the form that makes one for a new site, and their dialog. */
import { useState } from "preact/hooks";
import { CopyButton } from "../components/copy-button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { SCRIPT_PATH } from "../names.ts";
import { closePanel, site } from "../state/view.ts";

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

const snippetOf = (siteId: string): string => `<script defer data-domain="${siteId}" src="${location.origin}${SCRIPT_PATH}"></script>`;

export const Snippet = ({ siteId }: { readonly siteId: string }) => (
  <div class="snippet">
    <pre tabIndex={0} aria-label="Tracking code">
      <code>{snippetOf(siteId)}</code>
    </pre>
    <CopyButton text={snippetOf(siteId)} label="Copy tracking code" />
  </div>
);

export const PasteInstruction = () => (
  <p>
    Paste this into the <code>&lt;head&gt;</code> of your site:
  </p>
);

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
      {siteId !== null && (
        <>
          <PasteInstruction />
          <Snippet siteId={siteId} />
        </>
      )}
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
