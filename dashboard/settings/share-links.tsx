/** Share links: the one just created, whose address is shown only once, and the list of all. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { shareUrl } from "../api/addresses.ts";
import type { Share } from "../api/site.ts";
import type { CreatedShare } from "../api/types.ts";
import { filterInWords } from "../format/filter-words.ts";
import { formatRange, formatTimestamp } from "../format/locale.ts";
import { PERIOD_LABELS } from "../format/periods.ts";
import { ConfirmedButton, CopyButton, Select } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { parseFilters } from "../state/filters.ts";
import { timeZone } from "../state/known-sites.ts";
import { sharedPeriod } from "../state/range.ts";
import { EMBED_THEMES, embedCode, type EmbedTheme } from "./embed.ts";

interface AddressProps {
  readonly url: string;
  /** Names it for screen readers. */
  readonly name: string;
  readonly copyLabel: string;
  readonly openLabel: string;
}

export const Address = ({ url, name, copyLabel, openLabel }: AddressProps) => (
  <>
    <pre tabIndex={0} aria-label={name}>
      <code>{url}</code>
    </pre>
    <div class="actions">
      <CopyButton text={url} label={copyLabel} />
      <a class="button" href={url} target="_blank" rel="noopener">
        {openLabel}
      </a>
    </div>
  </>
);

type Fact = readonly [name: string, value: string];

const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

function filtersText(text: string | null): string {
  const filters = parseFilters(text);
  return filters.length === 0 ? "All visitors" : filters.map((filter) => filterInWords(filter, filters)).join(", ");
}

type SharedView = Pick<Share, "filters" | "period" | "start_date" | "end_date" | "realtime">;

function datesText(view: SharedView): string {
  const { start_date, end_date } = view;
  if (start_date !== null && end_date !== null) return formatRange(start_date, end_date);
  const period = sharedPeriod(view);
  return period === null ? "Any dates" : PERIOD_LABELS[period].label;
}

/** `Country is Germany · Last 30 days · No realtime` */
const sharedText = (share: SharedView): string =>
  [filtersText(share.filters), datesText(share), ...(share.realtime ? [] : ["No realtime"])].join(" · ");

/** Formats in the site's time zone. */
const timeOr = (iso: string | null, otherwise: string): string => (iso === null ? otherwise : formatTimestamp(iso, timeZone.value));

const createdFacts = (share: CreatedShare): readonly Fact[] => [
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
      <Facts facts={createdFacts(share)} />
      {share.frame_ancestors.length > 0 && <Embed share={share} url={url} />}
      <div class="created-end">
        <Button onClick={onDone}>Done</Button>
      </div>
    </section>
  );
}

const hasExpired = ({ expires_at }: Share): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();

/** Lists access and frames only if they differ from the default. */
const factsOf = (share: Share): readonly Fact[] => [
  ["Shows", sharedText(share)],
  ...(share.has_password ? [["Password", "Required"] as const] : []),
  ...(share.frame_ancestors.length > 0 ? [["Embeddable on", share.frame_ancestors.join(", ")] as const] : []),
  ["Created", timeOr(share.created_at, "")],
  ["Last used", timeOr(share.last_used_at, "Never")],
  ...(share.expires_at === null ? [] : [[hasExpired(share) ? "Expired" : "Expires", timeOr(share.expires_at, "")] as const]),
];

const ShareItem = ({ share, onRevoke }: { readonly share: Share; readonly onRevoke: () => void }) => (
  <li class={share.revoked || hasExpired(share) ? "share over" : "share"}>
    <div class="share-head">
      <h3>{share.name}</h3>
      {share.revoked ? (
        <span class="dim">Revoked</span>
      ) : (
        <ConfirmedButton isSmall label="Revoke" confirmLabel="Confirm revoke" subject={share.name} onConfirm={onRevoke} />
      )}
    </div>
    <Facts facts={factsOf(share)} />
  </li>
);

export const ShareList = ({ shares, onRevoke }: { readonly shares: readonly Share[]; readonly onRevoke: (hash: string) => void }) => (
  <ul class="shares" aria-label="Share links">
    {shares.map((share) => (
      <ShareItem key={share.share_hash} share={share} onRevoke={() => onRevoke(share.share_hash)} />
    ))}
  </ul>
);
