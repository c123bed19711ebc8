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
import { fill, words } from "../words/words.ts";
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
  <LoginFrame title={hasExpired.value ? words.login.sessionEnded : words.login.logIn}>
    {hasExpired.value && <p>{words.login.logInAgain}</p>}
    <PasswordForm
      label={words.login.password}
      action={words.login.logIn}
      kind="current-password"
      mayStay
      onSubmit={async (password, _code, remember) => {
        await logIn(password, remember);
        completeLogin();
      }}
    />
  </LoginFrame>
);

const NewPasswordForm = ({ codeLabel, onDone }: { readonly codeLabel?: string; readonly onDone?: () => void }) => (
  <PasswordForm
    label={fill(words.login.newPassword, { count: ADMIN_PASSWORD_CHARS_MIN })}
    codeLabel={codeLabel}
    action={words.login.setPassword}
    kind="new-password"
    minLength={ADMIN_PASSWORD_CHARS_MIN}
    mayStay
    onSubmit={async (password, code, remember) => {
      await setPassword(password, { code: codeLabel === undefined ? undefined : code, remember });
      completeLogin();
      onDone?.();
    }}
  />
);

/** The first run under an unknown host name (docs/http-api.md, "Unverified hosts"). */
export const SetupCodePage = () => (
  <LoginFrame title={fill(words.login.setUp, { product: PRODUCT_NAME })}>
    <p>{fill(words.login.unknownHost, { host: location.hostname })}</p>
    <p>{fill(words.login.enterCode, { product: PRODUCT_NAME })}</p>
    <NewPasswordForm codeLabel={words.login.setupCode} />
  </LoginFrame>
);

function SkipWarning({ onSkip }: { readonly onSkip: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  // The button that opened it has gone, with the focus.
  useLayoutEffect(() => button.current?.focus(), []);
  return (
    <div class="notice" role="alert">
      <p>{words.login.skipWarning}</p>
      <button ref={button} type="button" class="button" onClick={onSkip}>
        {words.login.continueWithout}
      </button>
    </div>
  );
}

export function FirstRunPage({ onSkip }: { readonly onSkip: () => void }) {
  const [isSkipping, setSkipping] = useState(false);
  return (
    <LoginFrame title={words.login.welcome}>
      <p>{words.login.createPassword}</p>
      <NewPasswordForm />
      {isSkipping ? <SkipWarning onSkip={onSkip} /> : <LinkButton onClick={() => setSkipping(true)}>{words.login.skip}</LinkButton>}
      <ExploreDemo />
    </LoginFrame>
  );
}

export const PasswordPanel = () => (
  <Dialog title={words.login.setAPassword} onClose={closePanel}>
    <p>{words.login.onceSet}</p>
    <NewPasswordForm onDone={closePanel} />
  </Dialog>
);
