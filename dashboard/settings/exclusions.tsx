/** Events of a site that are not stored: by path, address and country. */
import { countryName } from "../format/dimensions.ts";
import { CrossButton } from "../kit/inline.tsx";
import { Picker } from "../kit/picker.tsx";
import { useWorldShapes } from "../map/world-shapes.ts";
import { Field, LinesField, pickerAttributes } from "./fields.tsx";
import { SettingsForm, type Editing } from "./settings-form.tsx";

interface CountryFieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly problem: string | null;
  readonly codes: readonly string[];
  readonly onChange: (codes: readonly string[]) => void;
}

const byName = (a: string, b: string): number => countryName(a).localeCompare(countryName(b));

const Chosen = ({ codes, onRemove }: { readonly codes: readonly string[]; readonly onRemove: (code: string) => void }) => (
  <ul class="chosen" aria-label="Selected countries">
    {codes.map((code) => (
      <li key={code}>
        {countryName(code)}
        <CrossButton label={`Remove ${countryName(code)}`} onClick={() => onRemove(code)} />
      </li>
    ))}
  </ul>
);

/** Offers the countries of the map, which are all that events can come from. */
function CountryField({ codes, onChange, ...field }: CountryFieldProps) {
  const shapes = useWorldShapes();
  const others = Object.keys(shapes?.points ?? {}).filter((code) => !codes.includes(code));

  function remove(code: string) {
    onChange(codes.filter((known) => known !== code));
    document.getElementById(field.id)?.focus();
  }

  return (
    <Field {...field}>
      {codes.length > 0 && <Chosen codes={codes} onRemove={remove} />}
      <Picker
        {...pickerAttributes(field)}
        choices={others.toSorted(byName).map((code) => ({ value: code, label: countryName(code), hint: code }))}
        value=""
        placeholder={shapes ? "Add a country" : "Loading…"}
        onPick={(code) => onChange([...codes, code].toSorted(byName))}
      />
    </Field>
  );
}

const LABELS = { excluded_paths: "Paths", excluded_addresses: "IP addresses and networks", excluded_countries: "Countries" } as const;

const ExclusionFields = ({ settings, change, field }: Editing) => (
  <>
    <LinesField
      {...field("excluded_paths")}
      hint="One per line. Use * as a wildcard: /admin/* excludes every page under /admin/."
      placeholder="/admin/*"
      lines={settings.excluded_paths}
      onInput={(excluded_paths) => change({ excluded_paths })}
    />
    <LinesField
      {...field("excluded_addresses")}
      hint="One per line, such as those of your office. Visitors' addresses are compared with this list and never stored."
      placeholder={"192.0.2.7\n198.51.100.0/24"}
      lines={settings.excluded_addresses}
      onInput={(excluded_addresses) => change({ excluded_addresses })}
    />
    <CountryField
      {...field("excluded_countries")}
      hint="Visitors from unknown countries are still counted."
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
