/** The line that goes into a site's pages. */
import { CopyButton } from "../components/copy-button.tsx";
import { SCRIPT_PATH } from "../names.ts";

export const snippetOf = (siteId: string): string =>
  `<script defer data-domain="${siteId}" src="${location.origin}${SCRIPT_PATH}"></script>`;

export const Snippet = ({ siteId }: { readonly siteId: string }) => (
  <div class="snippet">
    <pre tabIndex={0} aria-label="Snippet">
      <code>{snippetOf(siteId)}</code>
    </pre>
    <CopyButton text={snippetOf(siteId)} label="Copy the snippet" />
  </div>
);
