/** What counts as a page of a site: parameters that are part of its path, and what would be kept of one address. */
import { useState } from "preact/hooks";
import { readableHost, readablePath } from "../../src/shared/paths.ts";
import { checkAddress } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { KeptPage } from "../api/types.ts";
import { Checkbox, Form } from "../kit/forms.tsx";
import { LinkButton } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction } from "../state/requests.ts";
import { LinesField, TextField } from "./fields.tsx";
import { addPageParameter, SettingsForm } from "./settings-form.tsx";

const LABELS = { page_parameters: "Parameters that are pages", merge_slashes: "Several slashes", app_pages: "Pages of apps" } as const;

const CAMPAIGN = {
  utm_source: "UTM source",
  utm_medium: "UTM medium",
  utm_campaign: "UTM campaign",
  utm_content: "UTM content",
  utm_term: "UTM term",
  click_id: "Click id",
} as const;

const factsOf = (kept: KeptPage): readonly (readonly [label: string, value: string])[] => [
  ["Page", readablePath(kept.pathname)],
  ...(kept.hostname === null ? [] : [["Host", readableHost(kept.hostname)] as const]),
  ...(Object.keys(CAMPAIGN) as (keyof typeof CAMPAIGN)[]).flatMap((name) => {
    const value = kept[name];
    return value === null ? [] : [[CAMPAIGN[name], value] as const];
  }),
];

function Kept({ siteId, kept }: { readonly siteId: string; readonly kept: KeptPage }) {
  return (
    <>
      {kept.is_excluded && <p class="notice">The settings of the site exclude this page: its events aren't stored.</p>}
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
          <p class="dim">Not kept. Does one of them make another page?</p>
          <ul class="chosen" aria-label="Parameters that are not kept">
            {kept.dropped_parameters.map((name) => (
              <li key={name}>
                <code>{name}</code>
                <LinkButton onClick={() => addPageParameter(siteId, name)}>
                  Add<span class="unseen"> {name}</span>
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
    <Form class="form settings-form" label="Check an address" onSubmit={() => void (isBusy || url === "" || run(check))}>
      <TextField
        id="checked-address"
        label="Address of a page"
        hint="Shows what would be kept of it by the saved settings. Nothing is requested or stored."
        placeholder={`https://${siteId}/topic.php?t=1`}
        value={url}
        onInput={setUrl}
      />
      <div class="save-bar">
        <button type="submit" class="button" aria-disabled={isBusy || url === ""}>
          {isBusy ? "Checking…" : "Check address"}
        </button>
      </div>
      <Problem text={problem} />
      <div role="status">{kept && <Kept siteId={siteId} kept={kept} />}</div>
    </Form>
  );
}

export const PagesSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="pages-title">
    <h2 id="pages-title">Pages</h2>
    <p class="dim">Only the path of an address is stored. These settings apply to events from now on.</p>
    <SettingsForm siteId={siteId} title="Pages" labels={LABELS}>
      {({ settings, change, field }) => (
        <>
          <LinesField
            {...field("page_parameters")}
            hint="One per line, at most 10: parameters of the query that make another page, such as t in /topic.php?t=1. Their values are stored, so list none that name a person or a search."
            placeholder={"t\npage_id"}
            lines={settings.page_parameters}
            onInput={(page_parameters) => change({ page_parameters })}
          />
          <Checkbox isChecked={settings.merge_slashes} onChange={(merge_slashes) => change({ merge_slashes })}>
            Count several slashes as one: <code>/blog//post</code> is <code>/blog/post</code>
          </Checkbox>
          <Checkbox isChecked={settings.app_pages} onChange={(app_pages) => change({ app_pages })}>
            Count pages of apps: <code>capacitor:</code>, <code>ionic:</code>, <code>tauri:</code> and <code>app:</code>
          </Checkbox>
        </>
      )}
    </SettingsForm>
    <h3>Check an address</h3>
    <AddressCheck siteId={siteId} />
  </section>
);
