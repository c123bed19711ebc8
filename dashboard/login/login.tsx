/** What comes before the figures: the first password, the login, the first site. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { logIn, setUp } from "../api/service.ts";
import { enter, hasExpired } from "../state/connection.ts";
import { Logo } from "../shell/logo.tsx";
import { PRODUCT_NAME } from "../names.ts";
import { PasswordForm } from "./password-form.tsx";

/** As the service asks. */
const PASSWORD_CHARS_MIN = 12;

export const EntranceFrame = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <main class="entrance">
    <div class="entrance-card">
      <p class="entrance-brand">
        <Logo /> {PRODUCT_NAME}
      </p>
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);

export const LoginPage = () => (
  <EntranceFrame title={hasExpired.value ? "Your session has ended" : "Log in"}>
    {hasExpired.value && <p>Log in again, and you are back where you were.</p>}
    <PasswordForm
      label="Password"
      action="Log in"
      kind="current-password"
      onSubmit={async (password) => {
        await logIn(password);
        enter();
      }}
    />
  </EntranceFrame>
);

export const NewPasswordForm = ({ onDone }: { readonly onDone?: () => void }) => (
  <PasswordForm
    label={`Password, at least ${PASSWORD_CHARS_MIN} characters`}
    action="Set password"
    kind="new-password"
    minLength={PASSWORD_CHARS_MIN}
    onSubmit={async (password) => {
      await setUp(password);
      enter();
      onDone?.();
    }}
  />
);

/** The first run under a host name that the service does not know: without the code from its log, nobody gets in. */
export const SetupCodePage = () => (
  <EntranceFrame title={`Set up ${PRODUCT_NAME}`}>
    <p>This instance has no password yet, and {location.hostname} isn't a host name it knows.</p>
    <p>Enter the one-time setup code to continue. {PRODUCT_NAME} prints it to its log at startup.</p>
    <PasswordForm
      label={`Password (${PASSWORD_CHARS_MIN}+ characters)`}
      codeLabel="Setup code"
      action="Set password"
      kind="new-password"
      minLength={PASSWORD_CHARS_MIN}
      onSubmit={async (password, code) => {
        await setUp(password, code);
        enter();
      }}
    />
  </EntranceFrame>
);

export function FirstRunPage({ onSkip }: { readonly onSkip: () => void }) {
  const [isSkipping, setSkipping] = useState(false);
  return (
    <EntranceFrame title="Welcome">
      <p>Choose the password that protects your figures. It is kept as a hash only and cannot be read back.</p>
      <NewPasswordForm />
      {isSkipping ? (
        <div class="notice" role="alert">
          <p>Whoever can reach this address will see all figures, and may choose the password before you do.</p>
          <button type="button" class="button" onClick={onSkip}>
            Go on without a password
          </button>
        </div>
      ) : (
        <button type="button" class="link" onClick={() => setSkipping(true)}>
          Not now
        </button>
      )}
    </EntranceFrame>
  );
}
