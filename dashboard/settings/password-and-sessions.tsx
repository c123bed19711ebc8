/** Dialogs that change the password and end all sessions. */
import { useRef, useState } from "preact/hooks";
import { ADMIN_PASSWORD_CHARS_MIN } from "../../src/shared/limits.ts";
import { changePassword } from "../api/endpoints.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form } from "../kit/forms.tsx";
import { PasswordField, problemFrom, ProblemText } from "../setup/password-form.tsx";
import { endSession } from "../state/connection.ts";
import { useAction } from "../state/requests.ts";
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
