/** Events of a site that are not stored: by path, address, country, network, host and referrer. */
import { countryName } from "../format/dimensions.ts";
import { CrossButton } from "../kit/inline.tsx";
import { Picker } from "../kit/picker.tsx";
import { useWorldShapes } from "../map/world-shapes.ts";
import { fill, words } from "../words/words.ts";
import { Field, LinesField, pickerAttributes } from "./fields.tsx";
import { SettingsForm, type Editing } from "./settings-form.tsx";

const byName = (a: string, b: string): number => countryName(a).localeCompare(countryName(b));

/** Offers the countries of the map, which are all that events can come from. */
function CountryField({ settings: { excluded_countries: codes }, change, field: fieldOf }: Editing) {
  const shapes = useWorldShapes();
  const field = fieldOf("excluded_countries");
  const others = Object.keys(shapes?.points ?? {}).filter((code) => !codes.includes(code));

  function remove(code: string) {
    change({ excluded_countries: codes.filter((known) => known !== code) });
    document.getElementById(field.id)?.focus();
  }

  return (
    <Field {...field} hint={words.exclusions.countriesHint}>
      {codes.length > 0 && (
        <ul class="chips" aria-label={words.exclusions.chosen}>
          {codes.map((code) => (
            <li key={code}>
              {countryName(code)}
              <CrossButton label={fill(words.exclusions.remove, { country: countryName(code) })} onClick={() => remove(code)} />
            </li>
          ))}
        </ul>
      )}
      <Picker
        {...pickerAttributes(field)}
        choices={others.toSorted(byName).map((code) => ({ value: code, label: countryName(code), hint: code }))}
        value=""
        placeholder={shapes ? words.exclusions.add : words.exclusions.loading}
        onPick={(code) => change({ excluded_countries: [...codes, code].toSorted(byName) })}
      />
    </Field>
  );
}

/** Opens the opt-out dialog of the tracking script on the site itself: only there a browser can keep the choice (docs/privacy.md). */
const ThisBrowser = ({ siteId }: { readonly siteId: string }) => (
  <p class="dim">
    {words.exclusions.addressChanges}{" "}
    <a class="link" href={`https://${siteId}/#svc-opt-out`} target="_blank" rel="noopener">
      {words.exclusions.thisBrowser}
    </a>
  </p>
);

const LABELS = {
  excluded_paths: words.exclusions.paths,
  excluded_addresses: words.exclusions.addresses,
  excluded_countries: words.exclusions.countries,
  excluded_networks: words.exclusions.networks,
  allowed_hosts: words.exclusions.allowedHosts,
  excluded_hosts: words.exclusions.hosts,
  excluded_referrers: words.exclusions.referrers,
} as const;

export const ExclusionsSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="exclusions-title">
    <h2 id="exclusions-title">{words.exclusions.title}</h2>
    <p class="dim">{words.exclusions.about}</p>
    <SettingsForm siteId={siteId} title={words.exclusions.title} labels={LABELS}>
      {(editing) => (
        <>
          <LinesField
            {...editing.field("excluded_paths")}
            hint={words.exclusions.pathsHint}
            placeholder="/admin/*"
            lines={editing.settings.excluded_paths}
            onInput={(excluded_paths) => editing.change({ excluded_paths })}
          />
          <LinesField
            {...editing.field("excluded_addresses")}
            hint={words.exclusions.addressesHint}
            placeholder={"192.0.2.7\n198.51.100.0/24"}
            lines={editing.settings.excluded_addresses}
            onInput={(excluded_addresses) => editing.change({ excluded_addresses })}
          />
          {siteId.includes(".") && <ThisBrowser siteId={siteId} />}
          <CountryField {...editing} />
          <LinesField
            {...editing.field("excluded_networks")}
            hint={editing.settings.asn_db_loaded ? words.exclusions.networksHint : words.exclusions.networksUnknown}
            placeholder="as64496"
            lines={editing.settings.excluded_networks}
            onInput={(excluded_networks) => editing.change({ excluded_networks })}
          />
          <LinesField
            {...editing.field("allowed_hosts")}
            hint={words.exclusions.allowedHostsHint}
            placeholder={"shop.example\n*.shop.example"}
            lines={editing.settings.allowed_hosts}
            onInput={(allowed_hosts) => editing.change({ allowed_hosts })}
          />
          <LinesField
            {...editing.field("excluded_hosts")}
            hint={words.exclusions.hostsHint}
            placeholder="staging.shop.example"
            lines={editing.settings.excluded_hosts}
            onInput={(excluded_hosts) => editing.change({ excluded_hosts })}
          />
          <LinesField
            {...editing.field("excluded_referrers")}
            hint={words.exclusions.referrersHint}
            placeholder={"spam.example\n*.spam.example"}
            lines={editing.settings.excluded_referrers}
            onInput={(excluded_referrers) => editing.change({ excluded_referrers })}
          />
        </>
      )}
    </SettingsForm>
  </section>
);
