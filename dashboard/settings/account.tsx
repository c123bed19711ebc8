/** The account: its password, the browsers that stay logged in, and the end of their sessions. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ADMIN_PASSWORD_CHARS_MIN } from "../../src/shared/limits.ts";
import { changePassword, endOneSession, listSessions } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { PersistentSessions } from "../api/types.ts";
import { formatRange, formatTimestamp } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { ConfirmedButton, Form } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { PasswordField, problemFrom, ProblemText } from "../setup/password-form.tsx";
import { endSession } from "../state/connection.ts";
import { useAction } from "../state/requests.ts";
import { UTC } from "../state/time-zone.ts";
import { closePanel, openPanel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";

function ChangePasswordForm({ onDone }: { readonly onDone: () => void }) {
  const currentInput = useRef<HTMLInputElement>(null);
  const newInput = useRef<HTMLInputElement>(null);
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { isBusy, problem, run } = useAction((error) => {
    const found = problemFrom(error);
    (found.field === "current" ? currentInput : newInput).current?.focus();
    return found;
  });

  async function change() {
    await changePassword(current, next);
    onDone();
  }

  return (
    <Form onSubmit={() => void run(change)}>
      <input type="text" name="username" autocomplete="username" value="admin" hidden readOnly />
      <PasswordField
        id="current-password"
        input={currentInput}
        label={words.sessions.current}
        kind="current-password"
        value={current}
        isInvalid={problem?.field === "current"}
        onInput={setCurrent}
      />
      <PasswordField
        id="new-password"
        input={newInput}
        label={fill(words.sessions.next, { count: ADMIN_PASSWORD_CHARS_MIN })}
        kind="new-password"
        minLength={ADMIN_PASSWORD_CHARS_MIN}
        value={next}
        isInvalid={problem?.field === "password"}
        onInput={setNext}
      />
      <ProblemText problem={problem} />
      <button type="submit" class="button primary" disabled={isBusy}>
        {words.sessions.change}
      </button>
    </Form>
  );
}

export function ChangePasswordPanel() {
  const [isDone, setDone] = useState(false);
  return (
    <Dialog title={words.sessions.change} onClose={closePanel}>
      {isDone ? (
        <p role="status">{words.sessions.changed}</p>
      ) : (
        <>
          <p class="dim">{words.sessions.othersEnd}</p>
          <ChangePasswordForm onDone={() => setDone(true)} />
        </>
      )}
    </Dialog>
  );
}

type Session = PersistentSessions[number];

/** "Firefox on Windows", as far as the browser said at its login. */
function browserText({ browser, os }: Session): string {
  if (browser === null) return os ?? words.sessions.unknownBrowser;
  return os === null ? browser : fill(words.sessions.browserOn, { browser, os });
}

const SessionItem = ({ session, onEnd }: { readonly session: Session; readonly onEnd: () => void }) => (
  <li>
    <div>
      <strong>{browserText(session)}</strong> {session.current && <span class="dim">({words.sessions.thisBrowser})</span>}
      <p class="dim">
        {fill(words.sessions.dates, {
          begun: formatTimestamp(session.created_at, UTC),
          used: formatRange(session.last_used_on, session.last_used_on),
        })}
      </p>
    </div>
    <ConfirmedButton
      isSmall
      label={words.sessions.logOut}
      confirmLabel={words.sessions.confirmLogOut}
      subject={browserText(session)}
      onConfirm={onEnd}
    />
  </li>
);

function Sessions() {
  const [sessions, setSessions] = useState<PersistentSessions | null>(null);
  const { problem, run } = useAction(problemText);
  const load = async () => setSessions(await listSessions());
  useEffect(() => void run(load), []);

  async function end({ session_hash: hash, current }: Session) {
    if (current) return endSession();
    await endOneSession(hash);
    await load();
  }

  return (
    <>
      <Problem text={problem} />
      {sessions?.length === 0 && <p class="empty">{words.sessions.none}</p>}
      {sessions && sessions.length > 0 && (
        <ul class="sessions" aria-label={words.sessions.title}>
          {sessions.map((session) => (
            <SessionItem key={session.session_hash} session={session} onEnd={() => void run(() => end(session))} />
          ))}
        </ul>
      )}
    </>
  );
}

const Account = () => (
  <>
    <h3>{words.sessions.password}</h3>
    <Button onClick={() => openPanel("change-password")}>{words.page.changePassword}</Button>
    <h3>{words.sessions.title}</h3>
    <p class="dim">{words.sessions.about}</p>
    <Sessions />
    <Button onClick={() => openPanel("logout-all")}>{words.page.logOutEverywhere}</Button>
  </>
);

/** The last section of a site's settings. */
export const AccountSection = () => (
  <section class="panel" aria-labelledby="account-title">
    <h2 id="account-title">{words.page.account}</h2>
    <Account />
  </section>
);

/** The page of all sites has no settings. */
export const AccountPanel = () => (
  <Dialog title={words.page.account} onClose={closePanel}>
    <Account />
  </Dialog>
);

export const LogOutEverywherePanel = () => (
  <Dialog title={words.sessions.logOutEverywhere} onClose={closePanel}>
    <p>{words.sessions.allEnd}</p>
    <button
      type="button"
      class="button danger"
      onClick={() => {
        closePanel();
        void endSession("everywhere");
      }}
    >
      {words.sessions.logOutEverywhere}
    </button>
  </Dialog>
);
