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
import { readableId, timeZone } from "../state/known-sites.ts";
import { sharedPeriod } from "../state/range.ts";
import { useAction } from "../state/requests.ts";
import { fill, words } from "../words/words.ts";
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
  return filters.length === 0 ? words.sharing.allVisitors : filters.map((filter) => filterInWords(filter, filters)).join(", ");
}

function datesText(view: Pick<Share, "period" | "start_date" | "end_date">): string {
  const { start_date, end_date } = view;
  if (start_date !== null && end_date !== null) return formatRange(start_date, end_date);
  const period = sharedPeriod(view);
  return period === null ? words.sharing.anyDates : PERIOD_LABELS[period].label;
}

/** Formats in the site's time zone. */
const timeOr = (iso: string | null, otherwise: string): string => (iso === null ? otherwise : formatTimestamp(iso, timeZone.value));

function Embed({ share, url }: { readonly share: CreatedShare; readonly url: string }) {
  const [theme, setTheme] = useState<EmbedTheme>("system");
  const code = embedCode(url, fill(words.sharing.statsFor, { site: readableId(share.site_id) }), theme);
  return (
    <>
      <h3>{words.sharing.embed}</h3>
      <p>{fill(words.sharing.paste, { sites: share.frame_ancestors.join(", ") })}</p>
      <Select class="theme" label={words.sharing.theme} labels={EMBED_THEMES} chosen={theme} onChoose={setTheme} />
      <pre tabIndex={0} aria-label={words.sharing.embedCode}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={words.sharing.copyEmbedCode} />
    </>
  );
}

const rawExportFact = ({ raw_export }: Pick<Share, "raw_export">): Fact => [
  words.sharing.rawExport,
  raw_export ? words.sharing.allowed : words.sharing.notAllowed,
];

function CreatedLink({ share, onDone }: { readonly share: CreatedShare; readonly onDone: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  const url = shareUrl(share.token);
  useLayoutEffect(() => title.current?.focus(), []);
  return (
    <section class="notice good created" aria-labelledby="created-title">
      <h3 id="created-title" ref={title} tabIndex={-1}>
        {fill(words.sharing.created, { name: share.name })}
      </h3>
      <p>{words.sharing.copyNow}</p>
      <Address url={url} name={words.sharing.shareLink} copyLabel={words.sharing.copyLink} openLabel={words.sharing.preview} />
      <h3>{words.sharing.whatViewersSee}</h3>
      <Facts
        facts={[
          [words.sharing.visitors, filtersText(share.filters)],
          [words.sharing.dates, datesText(share)],
          [words.sharing.realtime, share.realtime ? words.sharing.yes : words.sharing.no],
          rawExportFact(share),
          [words.sharing.password, share.has_password ? words.sharing.required : words.sharing.noPassword],
          [words.sharing.expires, timeOr(share.expires_at, words.sharing.never)],
        ]}
      />
      {share.frame_ancestors.length > 0 && <Embed share={share} url={url} />}
      <div class="created-end">
        <Button onClick={onDone}>{words.sharing.done}</Button>
      </div>
    </section>
  );
}

const hasExpired = ({ expires_at }: Share): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();

/** Lists access and frames only if they differ from the default. */
const factsOf = (share: Share): readonly Fact[] => [
  [words.sharing.shows, [filtersText(share.filters), datesText(share), ...(share.realtime ? [] : [words.sharing.noRealtime])].join(" · ")],
  rawExportFact(share),
  ...(share.has_password ? [[words.sharing.password, words.sharing.required] as const] : []),
  ...(share.frame_ancestors.length > 0 ? [[words.sharing.embeddable, share.frame_ancestors.join(", ")] as const] : []),
  [words.sharing.createdAt, timeOr(share.created_at, "")],
  [words.sharing.lastUsed, timeOr(share.last_used_at, words.sharing.never)],
  ...(share.expires_at === null
    ? []
    : [[hasExpired(share) ? words.sharing.expired : words.sharing.expires, timeOr(share.expires_at, "")] as const]),
];

const LABELS = { public: words.sharing.public, public_raw_export: words.sharing.rawExport } as const;

const HINT_ID = `${fieldId("public")}-hint`;
const RAW_HINT_ID = `${fieldId("public_raw_export")}-hint`;

/** A site that becomes public begins without raw exports. One that was public before keeps what it shares. */
function rawExportOf(siteId: string, isPublic: boolean): boolean {
  const saved = savedSettings(siteId);
  return (saved?.public === true || !isPublic) && saved?.public_raw_export === true;
}

const PublicField = ({ siteId, settings, change, field }: Editing) => (
  <>
    <Checkbox
      id={fieldId("public")}
      describedBy={HINT_ID}
      isChecked={settings.public}
      onChange={(isChecked) => change({ public: isChecked, public_raw_export: rawExportOf(siteId, isChecked) })}
    >
      {fill(words.sharing.anyoneSees, { site: readableId(siteId) })}
    </Checkbox>
    <p class="hint" id={HINT_ID}>
      {words.sharing.publicTotals}
    </p>
    {settings.public && (
      <Checkbox
        id={fieldId("public_raw_export")}
        describedBy={RAW_HINT_ID}
        isChecked={settings.public_raw_export}
        onChange={(isChecked) => change({ public_raw_export: isChecked })}
      >
        {words.sharing.allowRawExport}
      </Checkbox>
    )}
    {settings.public && settings.public_raw_export && (
      <p class="hint" id={RAW_HINT_ID}>
        {words.sharing.publicHint}
      </p>
    )}
    <p class="problem" role="alert">
      {field("public").problem}
    </p>
  </>
);

const PublicSite = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="public-title">
    <h2 id="public-title">{words.sharing.publicSite}</h2>
    <SettingsForm siteId={siteId} title={words.sharing.publicSite} labels={LABELS}>
      {(editing) => <PublicField {...editing} />}
    </SettingsForm>
    {savedSettings(siteId)?.public === true && (
      <div class="notice good">
        <p>{fill(words.sharing.publicAbout, { site: readableId(siteId) })}</p>
        <Address
          url={shareUrl(siteId)}
          name={words.sharing.publicAddress}
          copyLabel={words.sharing.copyAddress}
          openLabel={words.sharing.openInTab}
        />
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
      <h2 id="links-title">{words.sharing.shareLinks}</h2>
      <p class="dim">{words.sharing.about}</p>
      {created && <CreatedLink key={created.share_hash} share={created} onDone={() => setCreated(siteId, null)} />}
      <Problem text={problem} />
      {shares?.length === 0 && <p class="empty">{words.sharing.none}</p>}
      {shares && shares.length > 0 && (
        <ul class="shares" aria-label={words.sharing.shareLinks}>
          {shares.map((share) => (
            <li key={share.share_hash} class={share.revoked || hasExpired(share) ? "share over" : "share"}>
              <div class="share-head">
                <h3>{share.name}</h3>
                {share.revoked ? (
                  <span class="dim">{words.sharing.revoked}</span>
                ) : (
                  <ConfirmedButton
                    isSmall
                    label={words.sharing.revoke}
                    confirmLabel={words.sharing.confirmRevoke}
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
      <h3>{words.sharing.newLink}</h3>
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
