/** What counts as a page of a site: parameters that are part of its path, and what would be kept of one address. */
import { useState } from "preact/hooks";
import { readableHost, readablePath } from "../../src/shared/paths.ts";
import { checkAddress } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { KeptPage } from "../api/types.ts";
import { Checkbox, Form } from "../kit/forms.tsx";
import { INLINE, LinkButton } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction } from "../state/requests.ts";
import { rich, words } from "../words/words.ts";
import { LinesField, TextField } from "./fields.tsx";
import { addPageParameter, SettingsForm } from "./settings-form.tsx";

const LABELS = {
  page_parameters: words.pageSettings.parameters,
  merge_slashes: words.pageSettings.mergeSlashes,
  app_pages: words.pageSettings.appPages,
} as const;

const CAMPAIGN = {
  utm_source: words.pageSettings.utmSource,
  utm_medium: words.pageSettings.utmMedium,
  utm_campaign: words.pageSettings.utmCampaign,
  utm_content: words.pageSettings.utmContent,
  utm_term: words.pageSettings.utmTerm,
  click_id: words.pageSettings.clickId,
} as const;

const factsOf = (kept: KeptPage): readonly (readonly [label: string, value: string])[] => [
  [words.pageSettings.page, readablePath(kept.pathname)],
  ...(kept.hostname === null ? [] : [[words.pageSettings.host, readableHost(kept.hostname)] as const]),
  ...(Object.keys(CAMPAIGN) as (keyof typeof CAMPAIGN)[]).flatMap((name) => {
    const value = kept[name];
    return value === null ? [] : [[CAMPAIGN[name], value] as const];
  }),
];

function Kept({ siteId, kept }: { readonly siteId: string; readonly kept: KeptPage }) {
  return (
    <>
      {kept.is_excluded && <p class="notice">{words.pageSettings.excluded}</p>}
      <dl class="facts">
        {factsOf(kept).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {kept.dropped_parameters.length > 0 && (
        <>
          <p class="dim">{words.pageSettings.notKept}</p>
          <ul class="chips" aria-label={words.pageSettings.notKeptList}>
            {kept.dropped_parameters.map((name) => (
              <li key={name}>
                <code>{name}</code>
                <LinkButton onClick={() => addPageParameter(siteId, name)}>
                  {words.pageSettings.add}
                  <span class="unseen"> {name}</span>
                </LinkButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Judged by the saved settings, and asked for by a click: the address may have what nobody should send along while typing. */
function AddressCheck({ siteId }: { readonly siteId: string }) {
  const [url, setUrl] = useState("");
  const [kept, setKept] = useState<KeptPage | null>(null);
  const { isBusy, problem, run } = useAction(problemText);
  const check = async () => {
    setKept(null);
    setKept(await checkAddress(siteId, url));
  };
  return (
    <Form class="form settings-form" label={words.pageSettings.check} onSubmit={() => void (isBusy || url === "" || run(check))}>
      <TextField
        id="checked-address"
        label={words.pageSettings.address}
        hint={words.pageSettings.addressHint}
        placeholder={`https://${siteId}/topic.php?t=1`}
        value={url}
        onInput={setUrl}
      />
      <div class="save-bar">
        <button type="submit" class="button" aria-disabled={isBusy || url === ""}>
          {isBusy ? words.pageSettings.checking : words.pageSettings.checkNow}
        </button>
      </div>
      <Problem text={problem} />
      <div role="status">{kept && <Kept siteId={siteId} kept={kept} />}</div>
    </Form>
  );
}

export const PagesSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="pages-title">
    <h2 id="pages-title">{words.pageSettings.title}</h2>
    <p class="dim">{words.pageSettings.about}</p>
    <SettingsForm siteId={siteId} title={words.pageSettings.title} labels={LABELS}>
      {({ settings, change, field }) => (
        <>
          <LinesField
            {...field("page_parameters")}
            hint={words.pageSettings.parametersHint}
            placeholder={"t\npage_id"}
            lines={settings.page_parameters}
            onInput={(page_parameters) => change({ page_parameters })}
          />
          <Checkbox isChecked={settings.merge_slashes} onChange={(merge_slashes) => change({ merge_slashes })}>
            {rich(words.pageSettings.slashes, INLINE)}
          </Checkbox>
          <Checkbox isChecked={settings.app_pages} onChange={(app_pages) => change({ app_pages })}>
            {rich(words.pageSettings.apps, INLINE)}
          </Checkbox>
        </>
      )}
    </SettingsForm>
    <h3>{words.pageSettings.check}</h3>
    <AddressCheck siteId={siteId} />
  </section>
);
