/** Dialogs that change the password, list the browsers that stay logged in, and end their sessions. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ADMIN_PASSWORD_CHARS_MIN } from "../../src/shared/limits.ts";
import { changePassword, endOneSession, listSessions } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { PersistentSessions } from "../api/types.ts";
import { formatRange, formatTimestamp } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { ConfirmedButton, Form } from "../kit/forms.tsx";
import { Problem } from "../kit/states.tsx";
import { PasswordField, problemFrom, ProblemText } from "../setup/password-form.tsx";
import { endSession } from "../state/connection.ts";
import { useAction } from "../state/requests.ts";
import { UTC } from "../state/time-zone.ts";
import { closePanel } from "../state/view.ts";
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

function SessionItem({ session, onEnd }: { readonly session: Session; readonly onEnd: () => void }) {
  const { logOut, confirmLogOut, thisBrowser, dates } = words.sessions;
  const name = browserText(session);
  const used = formatRange(session.last_used_on, session.last_used_on);
  return (
    <li class="share">
      <div class="share-head">
        <h3>
          {name} {session.current && <span class="dim">{thisBrowser}</span>}
        </h3>
        <ConfirmedButton isSmall label={logOut} confirmLabel={confirmLogOut} subject={name} onConfirm={onEnd} />
      </div>
      <p class="dim">{fill(dates, { begun: formatTimestamp(session.created_at, UTC), used })}</p>
    </li>
  );
}

/** The browsers that stay logged in. */
function SessionList() {
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
      <h3>{words.sessions.title}</h3>
      <Problem text={problem} />
      {sessions?.length === 0 && <p class="empty">{words.sessions.none}</p>}
      {sessions && sessions.length > 0 && (
        <ul class="shares" aria-label={words.sessions.title}>
          {sessions.map((session) => (
            <SessionItem key={session.session_hash} session={session} onEnd={() => void run(() => end(session))} />
          ))}
        </ul>
      )}
    </>
  );
}

export const LogOutEverywherePanel = () => (
  <Dialog title={words.sessions.logOutEverywhere} onClose={closePanel}>
    <SessionList />
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
