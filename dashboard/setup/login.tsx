/** Pages before the dashboard: first run, login, and setup under an unknown host name; and the dialog that sets a password. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ADMIN_PASSWORD_CHARS_MIN } from "../../src/shared/limits.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { logIn, setPassword } from "../api/endpoints.ts";
import { Dialog } from "../kit/dialog.tsx";
import { LinkButton, Logo } from "../kit/inline.tsx";
import { completeLogin, hasExpired } from "../state/connection.ts";
import { closePanel } from "../state/view.ts";
import { ExploreDemo } from "./notices.tsx";
import { PasswordForm } from "./password-form.tsx";

export const LoginFrame = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <main class="login">
    <div class="login-card">
      <p class="login-brand">
        <Logo /> {PRODUCT_NAME}
      </p>
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);

export const LoginPage = () => (
  <LoginFrame title={hasExpired.value ? "Your session has ended" : "Log in"}>
    {hasExpired.value && <p>Log in again to continue where you were.</p>}
    <PasswordForm
      label="Password"
      action="Log in"
      kind="current-password"
      onSubmit={async (password) => {
        await logIn(password);
        completeLogin();
      }}
    />
  </LoginFrame>
);

const NewPasswordForm = ({ codeLabel, onDone }: { readonly codeLabel?: string; readonly onDone?: () => void }) => (
  <PasswordForm
    label={`Password (${ADMIN_PASSWORD_CHARS_MIN}+ characters)`}
    codeLabel={codeLabel}
    action="Set password"
    kind="new-password"
    minLength={ADMIN_PASSWORD_CHARS_MIN}
    onSubmit={async (password, code) => {
      await setPassword(password, codeLabel === undefined ? undefined : code);
      completeLogin();
      onDone?.();
    }}
  />
);

/** The first run under an unknown host name (docs/http-api.md, "Unverified hosts"). */
export const SetupCodePage = () => (
  <LoginFrame title={`Set up ${PRODUCT_NAME}`}>
    <p>This instance has no password yet, and {location.hostname} isn't a host name it knows.</p>
    <p>Enter the one-time setup code to continue. {PRODUCT_NAME} prints it to its log at startup.</p>
    <NewPasswordForm codeLabel="Setup code" />
  </LoginFrame>
);

function SkipWarning({ onSkip }: { readonly onSkip: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  // The button that opened it has gone, with the focus.
  useLayoutEffect(() => button.current?.focus(), []);
  return (
    <div class="notice" role="alert">
      <p>Anyone with this URL can see your stats and set the password before you.</p>
      <button ref={button} type="button" class="button" onClick={onSkip}>
        Continue without a password
      </button>
    </div>
  );
}

export function FirstRunPage({ onSkip }: { readonly onSkip: () => void }) {
  const [isSkipping, setSkipping] = useState(false);
  return (
    <LoginFrame title="Welcome">
      <p>Create a password for your dashboard. We store only a hash, so keep it safe.</p>
      <NewPasswordForm />
      {isSkipping ? <SkipWarning onSkip={onSkip} /> : <LinkButton onClick={() => setSkipping(true)}>Skip for now</LinkButton>}
      <ExploreDemo />
    </LoginFrame>
  );
}

export const PasswordPanel = () => (
  <Dialog title="Set a password" onClose={closePanel}>
    <p>Required to view stats. API keys also work.</p>
    <NewPasswordForm onDone={closePanel} />
  </Dialog>
);
