/** What a site says about where its visits come from: its own hosts, referrers that do not count, and rules of channels. */
import { SOURCE_PARAMETERS } from "../../src/shared/site-choices.ts";
import { Checkbox } from "../kit/forms.tsx";
import { INLINE } from "../kit/inline.tsx";
import { readableId } from "../state/known-sites.ts";
import { fill, rich, words } from "../words/words.ts";
import { ChannelPreviewButton } from "./channel-preview.tsx";
import { ChannelRulesField } from "./channel-rules.tsx";
import { LinesField } from "./fields.tsx";
import { fieldId, SettingsForm, type Editing } from "./settings-form.tsx";

const LABELS = {
  own_hosts: words.sourceSettings.ownHosts,
  ignored_referrers: words.sourceSettings.ignoredReferrers,
  source_parameters: words.sourceSettings.taggedLinks,
  channel_rules: words.sourceSettings.channelRules,
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
        {rich(words.sourceSettings.countsAs, { ...INLINE, parameter: `?${name}=` })}
      </Checkbox>
    ))}
    <p class="hint" id="source-parameters-hint">
      {rich(words.sourceSettings.countsAsHint, INLINE)}
    </p>
  </fieldset>
);

export const SourcesSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="sources-title">
    <h2 id="sources-title">{words.sourceSettings.title}</h2>
    <p class="dim">{words.sourceSettings.about}</p>
    <SettingsForm siteId={siteId} title={words.sourceSettings.title} labels={LABELS}>
      {(editing) => (
        <>
          <LinesField
            {...editing.field("own_hosts")}
            hint={fill(words.sourceSettings.ownHostsHint, { site: readableId(siteId) })}
            placeholder={`*.${siteId}`}
            lines={editing.settings.own_hosts}
            onInput={(own_hosts) => editing.change({ own_hosts })}
          />
          <LinesField
            {...editing.field("ignored_referrers")}
            hint={words.sourceSettings.ignoredHint}
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
