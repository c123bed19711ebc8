/** How a further site is counted. */
import { SiteSnippetForm } from "../login/first-site.tsx";
import { Snippet } from "../login/snippet.tsx";
import { Dialog } from "../components/dialog.tsx";
import { closePanel, site } from "../state/view.ts";

export const SnippetPanel = () => (
  <Dialog title="Snippet" onClose={closePanel}>
    {site.value !== null && (
      <>
        <h3>{site.value}</h3>
        <Snippet siteId={site.value} />
      </>
    )}
    <h3>Another site</h3>
    <SiteSnippetForm />
    <p class="dim">It appears in the list of sites with its first event.</p>
  </Dialog>
);
