/** A list of countries, chosen by name. */
import { Picker } from "../kit/picker.tsx";
import { countryName } from "../format/dimensions.ts";
import { useWorldShapes } from "../map/world-shapes.ts";
import { Field, pickerAttributes } from "./field.tsx";

interface CountryFieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly problem: string | null;
  readonly codes: readonly string[];
  readonly onChange: (codes: readonly string[]) => void;
}

const byName = (a: string, b: string): number => countryName(a).localeCompare(countryName(b));

interface ChosenProps {
  readonly codes: readonly string[];
  readonly onRemove: (code: string) => void;
}

const Chosen = ({ codes, onRemove }: ChosenProps) => (
  <ul class="chosen" aria-label="Selected countries">
    {codes.map((code) => (
      <li key={code}>
        {countryName(code)}
        <button type="button" class="icon-button" aria-label={`Remove ${countryName(code)}`} onClick={() => onRemove(code)}>
          ×
        </button>
      </li>
    ))}
  </ul>
);

/** The countries of the map: all that events can come from. */
export function CountryField({ codes, onChange, ...field }: CountryFieldProps) {
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
