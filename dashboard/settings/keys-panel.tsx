/** The dialog of API keys: create one and see it once, list them, revoke them. */
import { useEffect, useState } from "preact/hooks";
import { createKey, listKeys, revokeKey, type KeyScope } from "../api/admin.ts";
import { problemText } from "../api/http.ts";
import type { CreatedKey, Keys } from "../api/types.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Problem } from "../components/states.tsx";
import { formatTimestamp } from "../format/locale.ts";
import { authState } from "../state/connection.ts";
import { useAction } from "../state/use-action.ts";
import { closePanel } from "../state/view.ts";
import { PasswordRequired } from "./password-required.tsx";

const TITLE = "API keys";

const PERMISSIONS: Readonly<Record<KeyScope, string>> = { ReadOnly: "Read-only", Admin: "Admin (full access)" };

const NAME_CHARS_MAX = 128;

const NewKey = ({ created }: { readonly created: CreatedKey }) => (
  <div class="notice good" role="status">
    <p>
      Key <strong>{created.name}</strong>. Copy it now. You won't see it again.
    </p>
    <pre tabIndex={0} aria-label="New key">
      <code>{created.key}</code>
    </pre>
    <CopyButton text={created.key} label="Copy key" />
  </div>
);

function RevokeButton({ name, onRevoke }: { readonly name: string; readonly onRevoke: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <button
      type="button"
      class="button small danger"
      onClick={() => (isConfirming ? onRevoke() : setConfirming(true))}
      onBlur={() => setConfirming(false)}
    >
      {isConfirming ? "Confirm revoke" : "Revoke"}
      <span class="unseen"> {name}</span>
    </button>
  );
}

interface KeysTableProps {
  readonly keys: Keys;
  readonly onRevoke: (hash: string) => void;
}

/** The roles are written because on a phone the rows are stacked, and browsers take a table that is laid out as a grid for none. */
const KeysTable = ({ keys, onRevoke }: KeysTableProps) => (
  <div class="table-scroll" tabIndex={0} role="region" aria-label="Keys">
    <table class="table text keys-table" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">
            Name
          </th>
          <th scope="col" role="columnheader">
            Permission
          </th>
          <th scope="col" role="columnheader">
            Created
          </th>
          <th scope="col" role="columnheader">
            <span class="unseen">Revoke</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {keys.map(({ key_hash, name, scope, created_at, revoked }) => (
          <tr key={key_hash} role="row" class={revoked ? "revoked" : ""}>
            <th scope="row" role="rowheader">
              {name}
            </th>
            <td role="cell">{PERMISSIONS[scope]}</td>
            <td role="cell">{formatTimestamp(created_at)}</td>
            <td role="cell">{revoked ? "Revoked" : <RevokeButton name={name} onRevoke={() => onRevoke(key_hash)} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Remounted, and so empty again, once a key has been created. */
function NewKeyForm({ onCreate }: { readonly onCreate: (name: string, scope: KeyScope) => void }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<KeyScope>("ReadOnly");
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault();
        onCreate(name.trim(), scope);
      }}
    >
      <label>
        Name
        <input
          type="text"
          required
          maxLength={NAME_CHARS_MAX}
          autocomplete="off"
          placeholder="e.g. Weekly report"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        Permission
        <select value={scope} onChange={(event) => setScope(event.currentTarget.value as KeyScope)}>
          {Object.entries(PERMISSIONS).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button primary">
        Create key
      </button>
    </form>
  );
}

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
      <p class="dim">
        Send a key as <code>Authorization: Bearer …</code> or <code>X-API-Key: …</code>
      </p>
      <NewKeyForm key={created?.key_hash} onCreate={(name, scope) => void update(async () => setCreated(await createKey(name, scope)))} />
      <Problem text={problem} />
      {created && <NewKey created={created} />}
      {keys?.length === 0 && <p class="empty">No keys yet</p>}
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
    <PasswordRequired title={TITLE}>API keys require a password: without one, anyone can view your stats.</PasswordRequired>
  );
