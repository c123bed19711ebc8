/** Asks for the password of a share link. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { LoginFrame } from "../setup/login-frame.tsx";
import { PasswordField, problemFrom, ProblemText, type Problem } from "../setup/password-form.tsx";
import { unlockShare } from "../state/share.ts";
import { useAction } from "../state/use-action.ts";

export function UnlockForm() {
  const input = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState("");
  const { isBusy, problem, run } = useAction<Problem>(problemFrom);
  useLayoutEffect(() => input.current?.focus(), []);

  function submit(event: Event) {
    event.preventDefault();
    void run(() => unlockShare(password));
  }

  return (
    <LoginFrame title="Enter the password">
      <p>This dashboard is protected by a password. If you don't have it, ask the person who sent you the link.</p>
      <form class="form" onSubmit={submit}>
        <PasswordField
          id="link-password"
          input={input}
          label="Password"
          value={password}
          isInvalid={problem !== null}
          kind="current-password"
          onInput={setPassword}
        />
        <ProblemText problem={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          Open
        </button>
      </form>
    </LoginFrame>
  );
}
