/** Events of a site that are not stored: by path, address and country. */
import { countryName } from "../format/dimensions.ts";
import { CrossButton } from "../kit/inline.tsx";
import { Picker } from "../kit/picker.tsx";
import { useWorldShapes } from "../map/world-shapes.ts";
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
    <Field {...field} hint="Visitors from unknown countries are still counted.">
      {codes.length > 0 && (
        <ul class="chosen" aria-label="Selected countries">
          {codes.map((code) => (
            <li key={code}>
              {countryName(code)}
              <CrossButton label={`Remove ${countryName(code)}`} onClick={() => remove(code)} />
            </li>
          ))}
        </ul>
      )}
      <Picker
        {...pickerAttributes(field)}
        choices={others.toSorted(byName).map((code) => ({ value: code, label: countryName(code), hint: code }))}
        value=""
        placeholder={shapes ? "Add a country" : "Loading…"}
        onPick={(code) => change({ excluded_countries: [...codes, code].toSorted(byName) })}
      />
    </Field>
  );
}

const LABELS = { excluded_paths: "Paths", excluded_addresses: "IP addresses and networks", excluded_countries: "Countries" } as const;

export const ExclusionsSection = ({ siteId }: { readonly siteId: string }) => (
  <section class="panel" aria-labelledby="exclusions-title">
    <h2 id="exclusions-title">Privacy and exclusions</h2>
    <p class="dim">Events that match any of these aren't stored. Events that are already stored are kept.</p>
    <SettingsForm siteId={siteId} title="Privacy and exclusions" labels={LABELS}>
      {(editing) => (
        <>
          <LinesField
            {...editing.field("excluded_paths")}
            hint="One per line. Use * as a wildcard: /admin/* excludes every page under /admin/."
            placeholder="/admin/*"
            lines={editing.settings.excluded_paths}
            onInput={(excluded_paths) => editing.change({ excluded_paths })}
          />
          <LinesField
            {...editing.field("excluded_addresses")}
            hint="One per line, such as those of your office. Visitors' addresses are compared with this list and never stored."
            placeholder={"192.0.2.7\n198.51.100.0/24"}
            lines={editing.settings.excluded_addresses}
            onInput={(excluded_addresses) => editing.change({ excluded_addresses })}
          />
          <CountryField {...editing} />
        </>
      )}
    </SettingsForm>
  </section>
);
