/** Sharing: a site that is public to everyone, the link just created, whose address is shown only once, and the list of all links. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { shareUrl } from "../api/addresses.ts";
import { listShares, revokeShare, type Share } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { CreatedShare, Shares } from "../api/types.ts";
import { filterInWords } from "../format/filter-words.ts";
import { formatRange, formatTimestamp } from "../format/locale.ts";
import { PERIOD_LABELS } from "../format/periods.ts";
import { Checkbox, ConfirmedButton, CopyButton, Select } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { parseFilters } from "../state/filters.ts";
import { timeZone } from "../state/known-sites.ts";
import { sharedPeriod } from "../state/range.ts";
import { useAction } from "../state/requests.ts";
import { EMBED_THEMES, embedCode, type EmbedTheme } from "./embed.ts";
import { fieldId, savedSettings, SettingsForm, type Editing } from "./settings-form.tsx";
import { createdShares, ShareForm } from "./share-form.tsx";

interface AddressProps {
  readonly url: string;
  /** Names it for screen readers. */
  readonly name: string;
  readonly copyLabel: string;
  readonly openLabel: string;
}

const Address = ({ url, name, copyLabel, openLabel }: AddressProps) => (
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

function datesText(view: Pick<Share, "period" | "start_date" | "end_date">): string {
  const { start_date, end_date } = view;
  if (start_date !== null && end_date !== null) return formatRange(start_date, end_date);
  const period = sharedPeriod(view);
  return period === null ? "Any dates" : PERIOD_LABELS[period].label;
}

/** Formats in the site's time zone. */
const timeOr = (iso: string | null, otherwise: string): string => (iso === null ? otherwise : formatTimestamp(iso, timeZone.value));

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

function CreatedLink({ share, onDone }: { readonly share: CreatedShare; readonly onDone: () => void }) {
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
      <Facts
        facts={[
          ["Visitors", filtersText(share.filters)],
          ["Dates", datesText(share)],
          ["Realtime", share.realtime ? "Yes" : "No"],
          ["Password", share.has_password ? "Required" : "None"],
          ["Expires", timeOr(share.expires_at, "Never")],
        ]}
      />
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
  ["Shows", [filtersText(share.filters), datesText(share), ...(share.realtime ? [] : ["No realtime"])].join(" · ")],
  ...(share.has_password ? [["Password", "Required"] as const] : []),
  ...(share.frame_ancestors.length > 0 ? [["Embeddable on", share.frame_ancestors.join(", ")] as const] : []),
  ["Created", timeOr(share.created_at, "")],
  ["Last used", timeOr(share.last_used_at, "Never")],
  ...(share.expires_at === null ? [] : [[hasExpired(share) ? "Expired" : "Expires", timeOr(share.expires_at, "")] as const]),
];

const LABELS = { public: "Public" } as const;

const HINT_ID = `${fieldId("public")}-hint`;

const PublicField = ({ siteId, settings, change, field }: Editing) => (
  <>
    <Checkbox
      id={fieldId("public")}
      describedBy={HINT_ID}
      isChecked={settings.public}
      onChange={(isChecked) => change({ public: isChecked })}
    >
      Anyone can see the stats of {siteId}
    </Checkbox>
    <p class="hint" id={HINT_ID}>
      Viewers can export every event of the site. Hidden cards are not secret.
    </p>
    <p class="problem" role="alert">
      {field("public").problem}
    </p>
  </>
);

const PublicSite = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="public-title">
    <h2 id="public-title">Public site</h2>
    <SettingsForm siteId={siteId} title="Public site" labels={LABELS}>
      {(editing) => <PublicField {...editing} />}
    </SettingsForm>
    {savedSettings(siteId)?.public === true && (
      <div class="notice good">
        <p>
          Anyone with this URL can view and export all stats of {siteId} without logging in, but can't change anything. Search engines
          cannot read the page, but may list its URL where somebody has posted it.
        </p>
        <Address url={shareUrl(siteId)} name="Public address" copyLabel="Copy address" openLabel="Open in a new tab" />
      </div>
    )}
  </section>
);

const setCreated = (siteId: string, share: CreatedShare | null): void => {
  createdShares.value = { ...createdShares.value, [siteId]: share };
};

function ShareLinks({ siteId }: { readonly siteId: string }) {
  const [shares, setShares] = useState<Shares | null>(null);
  const { problem, run } = useAction(problemText);
  const created = createdShares.value[siteId];

  const load = async () => setShares(await listShares(siteId));
  useEffect(() => void run(load), []);

  async function revoke(hash: string) {
    await revokeShare(hash);
    if (createdShares.value[siteId]?.share_hash === hash) setCreated(siteId, null);
    await load();
  }

  return (
    <section class="panel" aria-labelledby="links-title">
      <h2 id="links-title">Share links</h2>
      <p class="dim">
        Share links show the dashboard without a login, limited to what you choose. Viewers can export what they see. You can revoke a link
        at any time.
      </p>
      {created && <CreatedLink key={created.share_hash} share={created} onDone={() => setCreated(siteId, null)} />}
      <Problem text={problem} />
      {shares?.length === 0 && <p class="empty">No share links yet</p>}
      {shares && shares.length > 0 && (
        <ul class="shares" aria-label="Share links">
          {shares.map((share) => (
            <li key={share.share_hash} class={share.revoked || hasExpired(share) ? "share over" : "share"}>
              <div class="share-head">
                <h3>{share.name}</h3>
                {share.revoked ? (
                  <span class="dim">Revoked</span>
                ) : (
                  <ConfirmedButton
                    isSmall
                    label="Revoke"
                    confirmLabel="Confirm revoke"
                    subject={share.name}
                    onConfirm={() => void run(() => revoke(share.share_hash))}
                  />
                )}
              </div>
              <Facts facts={factsOf(share)} />
            </li>
          ))}
        </ul>
      )}
      <h3>New link</h3>
      <ShareForm
        siteId={siteId}
        onCreated={async (share) => {
          setCreated(siteId, share);
          await run(load);
        }}
      />
    </section>
  );
}

export const SharingSection = ({ siteId }: { readonly siteId: string }) => (
  <>
    <PublicSite siteId={siteId} />
    <ShareLinks siteId={siteId} />
  </>
);
