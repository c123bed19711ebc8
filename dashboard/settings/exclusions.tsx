/** Which events of a site are not stored: by path, address and country. */
import { LinesField } from "./field.tsx";
import { CountryField } from "./country-field.tsx";
import { fieldId, SettingsForm, type Editing } from "./settings-form.tsx";

const LABELS = { excluded_paths: "Paths", excluded_addresses: "IP addresses and networks", excluded_countries: "Countries" } as const;

const ExclusionFields = ({ settings, change, problemOf }: Editing) => (
  <>
    <LinesField
      id={fieldId("excluded_paths")}
      label={LABELS.excluded_paths}
      hint="One per line. Use * as a wildcard: /admin/* excludes every page under /admin/."
      problem={problemOf("excluded_paths")}
      placeholder="/admin/*"
      lines={settings.excluded_paths}
      onInput={(excluded_paths) => change({ excluded_paths })}
    />
    <LinesField
      id={fieldId("excluded_addresses")}
      label={LABELS.excluded_addresses}
      hint="One per line, such as those of your office. Visitors' addresses are compared with this list and never stored."
      problem={problemOf("excluded_addresses")}
      placeholder={"192.0.2.7\n198.51.100.0/24"}
      lines={settings.excluded_addresses}
      onInput={(excluded_addresses) => change({ excluded_addresses })}
    />
    <CountryField
      id={fieldId("excluded_countries")}
      label={LABELS.excluded_countries}
      hint="Visitors from unknown countries are still counted."
      problem={problemOf("excluded_countries")}
      codes={settings.excluded_countries}
      onChange={(excluded_countries) => change({ excluded_countries })}
    />
  </>
);

export const ExclusionsSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="exclusions-title">
    <h2 id="exclusions-title">Privacy and exclusions</h2>
    <p class="dim">Events that match any of these aren't stored. Events that are already stored are kept.</p>
    <SettingsForm siteId={siteId} title="Privacy and exclusions" labels={LABELS}>
      {(editing) => <ExclusionFields {...editing} />}
    </SettingsForm>
  </section>
);
