/** API keys: made, shown once, listed, revoked. */
import { useEffect, useState } from "preact/hooks";
import { createKey, keys, revokeKey, ServiceError, type KeyScope } from "../api/service.ts";
import type { CreatedKey, Keys } from "../api/types.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { door, noteFailure } from "../state/connection.ts";
import { closePanel, openPanel } from "../state/view.ts";
import { momentText } from "../format/dates.ts";

const SCOPE_WORDS: Readonly<Record<KeyScope, string>> = {
  ReadOnly: "Read figures",
  Admin: "Everything: keys and erasure, too",
};

const NewKey = ({ made }: { readonly made: CreatedKey }) => (
  <div class="notice good" role="status">
    <p>
      The key <strong>{made.name}</strong>. It is shown this once: copy it now.
    </p>
    <pre tabIndex={0} aria-label="New key">
      <code>{made.key}</code>
    </pre>
    <CopyButton text={made.key} label="Copy the key" />
  </div>
);

function KeyRow({ entry, onRevoke }: { readonly entry: Keys[number]; readonly onRevoke: () => void }) {
  const [isSure, setSure] = useState(false);
  return (
    <tr class={entry.revoked ? "revoked" : ""}>
      <th scope="row">{entry.name}</th>
      <td>{SCOPE_WORDS[entry.scope].split(":")[0]}</td>
      <td>{momentText(entry.created_at)}</td>
      <td>
        {entry.revoked ? (
          "Revoked"
        ) : (
          <button
            type="button"
            class="button small danger"
            onClick={() => (isSure ? onRevoke() : setSure(true))}
            onBlur={() => setSure(false)}
          >
            {isSure ? "Really revoke" : "Revoke"}
            <span class="unseen"> {entry.name}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

export function KeysPanel() {
  const [list, setList] = useState<Keys | null>(null);
  const [name, setName] = useState("");
  const [scope, setScope] = useState<KeyScope>("ReadOnly");
  const [made, setMade] = useState<CreatedKey | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  async function attempt(work: () => Promise<unknown>) {
    setProblem(null);
    try {
      await work();
      setList(await keys());
    } catch (error) {
      noteFailure(error);
      setProblem(error instanceof ServiceError ? error.message : "That did not work.");
    }
  }

  useEffect(() => {
    if (door.value === "inside") void attempt(async () => undefined);
  }, []);

  if (door.value !== "inside") {
    return (
      <Dialog title="API keys" onClose={closePanel}>
        <p>Keys are for instances with a password: without one, figures are open to everybody.</p>
        <button type="button" class="button primary" onClick={() => openPanel("password")}>
          Set a password
        </button>
      </Dialog>
    );
  }
  return (
    <Dialog title="API keys" onClose={closePanel} isWide>
      <p class="dim">
        Programs send a key as <code>Authorization: Bearer …</code> or <code>X-API-Key: …</code>
      </p>
      <form
        class="form inline"
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(async () => {
            setMade(await createKey(name.trim(), scope));
            setName("");
          });
        }}
      >
        <label>
          Name
          <input
            type="text"
            required
            maxLength={128}
            autocomplete="off"
            placeholder="What it is for"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          May
          <select value={scope} onChange={(event) => setScope(event.currentTarget.value as KeyScope)}>
            {Object.entries(SCOPE_WORDS).map(([id, words]) => (
              <option key={id} value={id}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="button primary">
          Create key
        </button>
      </form>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {made && <NewKey made={made} />}
      {list && list.length === 0 && <p class="empty">No keys yet</p>}
      {list && list.length > 0 && (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Keys">
          <table class="table words">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">May</th>
                <th scope="col">Created</th>
                <th scope="col">
                  <span class="unseen">Revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((entry) => (
                <KeyRow key={entry.key_hash} entry={entry} onRevoke={() => void attempt(() => revokeKey(entry.key_hash))} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  );
}
