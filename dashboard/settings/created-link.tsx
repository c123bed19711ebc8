/** A share link that has just been created: its address, which is shown this once, a preview, and the code to embed it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { shareUrl } from "../api/page-url.ts";
import type { CreatedShare } from "../api/types.ts";
import { CopyButton } from "../kit/copy-button.tsx";
import { Select } from "../kit/select.tsx";
import { Address } from "./address.tsx";
import { EMBED_THEMES, embedCode, type EmbedTheme } from "./embed.ts";
import { Facts, type Fact } from "./facts.tsx";
import { datesText, filtersText, timeOr } from "./share-summary.ts";

/** What viewers see, row by row. */
const factsOf = (share: CreatedShare): readonly Fact[] => [
  ["Visitors", filtersText(share.filters)],
  ["Dates", datesText(share)],
  ["Realtime", share.realtime ? "Yes" : "No"],
  ["Password", share.has_password ? "Required" : "None"],
  ["Expires", timeOr(share.expires_at, "Never")],
];

function Embed({ share, url }: { readonly share: CreatedShare; readonly url: string }) {
  const [theme, setTheme] = useState<EmbedTheme>("system");
  const code = embedCode(url, `Stats for ${share.site_id}`, theme);
  return (
    <>
      <h3>Embed</h3>
      <p>Paste this into a page on {share.frame_ancestors.join(", ")}.</p>
      <Select class="theme" label="Theme" labels={EMBED_THEMES} chosen={theme} onChoose={setTheme} />
      <pre tabIndex={0} aria-label="Embed code">
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label="Copy embed code" />
    </>
  );
}

export function CreatedLink({ share, onDone }: { readonly share: CreatedShare; readonly onDone: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  const url = shareUrl(share.token);
  useLayoutEffect(() => title.current?.focus(), []);
  return (
    <section class="notice good created" aria-labelledby="created-title">
      <h3 id="created-title" ref={title} tabIndex={-1}>
        Link created: {share.name}
      </h3>
      <p>Copy it now. You won't see it again.</p>
      <Address url={url} name="Share link" copyLabel="Copy link" openLabel="Preview in a new tab" />
      <h3>What viewers see</h3>
      <Facts facts={factsOf(share)} />
      {share.frame_ancestors.length > 0 && <Embed share={share} url={url} />}
      <div class="created-end">
        <button type="button" class="button" onClick={onDone}>
          Done
        </button>
      </div>
    </section>
  );
}
