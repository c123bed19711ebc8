/** What a site says about where its visits come from: its own hosts, referrers that do not count, and rules of channels. */
import { ChannelRulesField } from "./channel-rules.tsx";
import { LinesField } from "./fields.tsx";
import { SettingsForm } from "./settings-form.tsx";

const LABELS = { own_hosts: "Hosts of this site", ignored_referrers: "Ignored referrers", channel_rules: "Channel rules" } as const;

export const SourcesSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="sources-title">
    <h2 id="sources-title">Sources and channels</h2>
    <p class="dim">A visit keeps the source that it began with. These settings apply to all visits, including past ones.</p>
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
          <ChannelRulesField {...editing} />
        </>
      )}
    </SettingsForm>
  </section>
);
