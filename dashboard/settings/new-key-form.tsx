/** The form of a new API key: its name, what it may do, and for which sites. */
import { useState } from "preact/hooks";
import type { KeyScope } from "../api/admin.ts";
import { NameInput } from "../kit/name-input.tsx";
import { Select } from "../kit/select.tsx";
import { useSites } from "../state/known-sites.ts";
import { NAME_CHARS_MAX } from "./field.tsx";

interface SiteChoiceProps {
  /** Null for all. */
  readonly chosen: readonly string[] | null;
  readonly onChange: (chosen: readonly string[] | null) => void;
}

const Boxes = ({
  sites,
  chosen,
  onChange,
}: { readonly sites: readonly string[]; readonly chosen: readonly string[] } & Pick<SiteChoiceProps, "onChange">) => (
  <fieldset class="site-boxes">
    <legend class="unseen">Sites of the key</legend>
    {sites.map((id) => (
      <label key={id} class="choice">
        <input
          type="checkbox"
          checked={chosen.includes(id)}
          onChange={(event) => onChange(sites.filter((known) => (known === id ? event.currentTarget.checked : chosen.includes(known))))}
        />
        {id}
      </label>
    ))}
  </fieldset>
);

function SiteChoice({ chosen, onChange }: SiteChoiceProps) {
  const sites = useSites().data?.sites ?? [];
  return (
    <>
      <label>
        Sites
        <select value={chosen ? "some" : "all"} onChange={(event) => onChange(event.currentTarget.value === "all" ? null : [])}>
          <option value="all">All sites</option>
          <option value="some">Only some sites</option>
        </select>
      </label>
      {chosen && <Boxes sites={sites} chosen={chosen} onChange={onChange} />}
    </>
  );
}

interface NewKeyFormProps {
  readonly permissions: Readonly<Record<KeyScope, string>>;
  /** `sites` is undefined for all. */
  readonly onCreate: (name: string, scope: KeyScope, sites?: readonly string[]) => void;
}

/** Remounted, and so empty again, once a key has been created. */
export function NewKeyForm({ permissions, onCreate }: NewKeyFormProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<KeyScope>("ReadOnly");
  const [sites, setSites] = useState<readonly string[] | null>(null);
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault();
        onCreate(name.trim(), scope, sites ?? undefined);
      }}
    >
      <NameInput label="Name" charsMax={NAME_CHARS_MAX} placeholder="e.g. Weekly report" value={name} onInput={setName} />
      <Select label="Permission" labels={permissions} chosen={scope} onChoose={setScope} />
      <SiteChoice chosen={sites} onChange={setSites} />
      <button type="submit" class="button primary" disabled={sites?.length === 0}>
        Create key
      </button>
    </form>
  );
}
