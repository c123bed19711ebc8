/** What a site says about where its visits come from: its own hosts, referrers that do not count, and rules of channels. */
import { SOURCE_PARAMETERS } from "../../src/shared/site-choices.ts";
import { Checkbox } from "../kit/forms.tsx";
import { ChannelPreviewButton } from "./channel-preview.tsx";
import { ChannelRulesField } from "./channel-rules.tsx";
import { LinesField } from "./fields.tsx";
import { fieldId, SettingsForm, type Editing } from "./settings-form.tsx";

const LABELS = {
  own_hosts: "Hosts of this site",
  ignored_referrers: "Ignored referrers",
  source_parameters: "Tagged links",
  channel_rules: "Channel rules",
} as const;

const SourceParametersField = ({ settings: { source_parameters: chosen }, change }: Editing) => (
  <fieldset id={fieldId("source_parameters")} tabIndex={-1} aria-describedby="source-parameters-hint">
    <legend>{LABELS.source_parameters}</legend>
    {SOURCE_PARAMETERS.map((name) => (
      <Checkbox
        key={name}
        isChecked={chosen.includes(name)}
        onChange={(isChecked) =>
          change({ source_parameters: SOURCE_PARAMETERS.filter((each) => (each === name ? isChecked : chosen.includes(each))) })
        }
      >
        <code>?{name}=</code> counts as <code>utm_source</code>
      </Checkbox>
    ))}
    <p class="hint" id="source-parameters-hint">
      Applies to events from now on, where a link has no <code>utm_source</code>.
    </p>
  </fieldset>
);

export const SourcesSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="sources-title">
    <h2 id="sources-title">Sources and channels</h2>
    <p class="dim">A visit keeps the source that it began with. Hosts, referrers and rules apply to all visits, including past ones.</p>
    <SettingsForm siteId={siteId} title="Sources and channels" labels={LABELS}>
      {(editing) => (
        <>
          <LinesField
            {...editing.field("own_hosts")}
            hint={`One per line, besides ${siteId}. Use *.${siteId} for all its subdomains. Links from there are no referrals.`}
            placeholder={`*.${siteId}`}
            lines={editing.settings.own_hosts}
            onInput={(own_hosts) => editing.change({ own_hosts })}
          />
          <LinesField
            {...editing.field("ignored_referrers")}
            hint="One per line. Visitors who come back from these hosts, such as a payment page, keep their source. Common hosts of payment and sign-in are ignored already."
            placeholder="pay.example.net"
            lines={editing.settings.ignored_referrers}
            onInput={(ignored_referrers) => editing.change({ ignored_referrers })}
          />
          <SourceParametersField {...editing} />
          <ChannelRulesField {...editing} />
          <ChannelPreviewButton siteId={siteId} settings={editing.settings} />
        </>
      )}
    </SettingsForm>
  </section>
);
