/** The dialog of API keys: create, list, revoke. A new key is shown once. */
import { useEffect, useState } from "preact/hooks";
import { API_KEY_NAME_CHARS_MAX } from "../../src/shared/limits.ts";
import { createKey, listKeys, revokeKey, type KeyScope } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { CreatedKey, Keys } from "../api/types.ts";
import { formatTimestamp } from "../format/locale.ts";
import { Dialog, PasswordRequired } from "../kit/dialog.tsx";
import { Checkbox, ConfirmedButton, CopyButton, Form, NameInput, Select } from "../kit/forms.tsx";
import { INLINE } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { useSites } from "../state/known-sites.ts";
import { useAction } from "../state/requests.ts";
import { UTC } from "../state/time-zone.ts";
import { closePanel } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";

const PERMISSIONS: Readonly<Record<KeyScope, string>> = { ReadOnly: words.keys.readOnly, Admin: words.keys.admin };

const SITE_CHOICES = { all: words.keys.allSites, some: words.keys.someSites } as const;

/** Keyed by the last created key, so that it is empty again. `sites` is undefined for all. */
function NewKeyForm({ onCreate }: { readonly onCreate: (name: string, scope: KeyScope, sites?: readonly string[]) => void }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<KeyScope>("ReadOnly");
  /** null for all sites. */
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const sites = useSites().data?.sites ?? [];
  return (
    <Form class="form inline" onSubmit={() => onCreate(name.trim(), scope, chosen ?? undefined)}>
      <NameInput
        label={words.keys.name}
        charsMax={API_KEY_NAME_CHARS_MAX}
        placeholder={words.keys.nameExample}
        value={name}
        onInput={setName}
      />
      <Select label={words.keys.permission} labels={PERMISSIONS} chosen={scope} onChoose={setScope} />
      <Select
        label={words.keys.sites}
        labels={SITE_CHOICES}
        chosen={chosen ? "some" : "all"}
        onChoose={(choice) => setChosen(choice === "all" ? null : [])}
      />
      {chosen && (
        <fieldset class="site-boxes">
          <legend class="unseen">{words.keys.sitesOfKey}</legend>
          {sites.map((id) => (
            <Checkbox
              key={id}
              isChecked={chosen.includes(id)}
              onChange={(isChecked) => setChosen(sites.filter((known) => (known === id ? isChecked : chosen.includes(known))))}
            >
              {id}
            </Checkbox>
          ))}
        </fieldset>
      )}
      <button type="submit" class="button primary" disabled={chosen?.length === 0}>
        {words.keys.create}
      </button>
    </Form>
  );
}

const TITLE = words.keys.title;

/** Labels for keys limited to some sites. */
const LIMITED_PERMISSIONS: typeof PERMISSIONS = { ReadOnly: words.keys.readOnly, Admin: words.keys.adminOfSites };

/** Lists at most this many sites per key. */
const NAMED_MAX = 3;

function sitesText(sites: readonly string[]): string {
  const others = sites.length - NAMED_MAX;
  return others > 0 ? fill(words.keys.andMore, { sites: sites.slice(0, NAMED_MAX).join(", "), count: others }) : sites.join(", ");
}

/** Explicit roles: phones stack the rows, and browsers do not treat a table with grid layout as one. */
const KeysTable = ({ keys, onRevoke }: { readonly keys: Keys; readonly onRevoke: (hash: string) => void }) => (
  <div class="table-scroll" tabIndex={0} role="region" aria-label={words.keys.keys}>
    <table class="table text keys-table" role="table">
      <thead role="rowgroup">
        <tr role="row">
          {[words.keys.name, words.keys.permission, words.keys.sites, words.keys.created].map((head) => (
            <th key={head} scope="col" role="columnheader">
              {head}
            </th>
          ))}
          <th scope="col" role="columnheader">
            <span class="unseen">{words.keys.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {keys.map(({ key_hash, name, scope, sites, created_at, revoked }) => (
          <tr key={key_hash} role="row" class={revoked ? "revoked" : ""}>
            <th scope="row" role="rowheader">
              {name}
            </th>
            <td role="cell">{(sites ? LIMITED_PERMISSIONS : PERMISSIONS)[scope]}</td>
            <td role="cell">{sites ? sitesText(sites) : words.keys.allSites}</td>
            <td role="cell">{formatTimestamp(created_at, UTC)}</td>
            <td role="cell">
              {revoked ? (
                words.keys.revoked
              ) : (
                <ConfirmedButton
                  isSmall
                  label={words.keys.revoke}
                  confirmLabel={words.keys.confirmRevoke}
                  subject={name}
                  onConfirm={() => onRevoke(key_hash)}
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function KeysView() {
  const [keys, setKeys] = useState<Keys | null>(null);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const { problem, run } = useAction(problemText);

  /** Runs the change, if any, and loads the list again. */
  const update = (change?: () => Promise<unknown>) =>
    run(async () => {
      await change?.();
      setKeys(await listKeys());
    });
  useEffect(() => void update(), []);

  return (
    <>
      <p class="dim">{rich(words.keys.send, INLINE)}</p>
      <NewKeyForm
        key={created?.key_hash}
        onCreate={(name, scope, sites) => void update(async () => setCreated(await createKey(name, scope, sites)))}
      />
      <Problem text={problem} />
      {created && (
        <div class="notice good" role="status">
          <p>{rich(words.keys.copyNow, { ...INLINE, name: created.name })}</p>
          <pre tabIndex={0} aria-label={words.keys.newKey}>
            <code>{created.key}</code>
          </pre>
          <CopyButton text={created.key} label={words.keys.copy} />
        </div>
      )}
      {keys?.length === 0 && <p class="empty">{words.keys.none}</p>}
      {keys && keys.length > 0 && <KeysTable keys={keys} onRevoke={(hash) => void update(() => revokeKey(hash))} />}
    </>
  );
}

export const KeysPanel = () =>
  authState.value === "logged_in" ? (
    <Dialog title={TITLE} onClose={closePanel} isWide>
      <KeysView />
    </Dialog>
  ) : (
    <PasswordRequired title={TITLE}>{words.keys.passwordNeeded}</PasswordRequired>
  );
