/** The form for a password, and for the setup code if one is needed. Errors appear at their field. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { problemText, ServiceError, type FailureKind } from "../api/http.ts";
import { countOf } from "../format/locale.ts";
import { fill, words } from "../words/words.ts";

interface PasswordFormProps {
  readonly label: string;
  /** Undefined if no setup code is needed. */
  readonly codeLabel?: string | undefined;
  readonly action: string;
  /** The value of `autocomplete`, for password managers. */
  readonly kind: "current-password" | "new-password";
  readonly minLength?: number;
  /** Asks whether the browser stays logged in. */
  readonly mayStay?: boolean;
  readonly onSubmit: (password: string, code: string, remember: boolean) => Promise<void>;
}

export interface Problem {
  readonly text: string;
  readonly field: "password" | "code" | "current";
}

function textOf(error: unknown): string {
  const { kind = null, retryAfterSecs = null } = error instanceof ServiceError ? error : {};
  if (kind === "unauthenticated" || kind === "forbidden") return words.login.wrongPassword;
  if (kind !== "busy" || retryAfterSecs === null) return problemText(error);
  if (retryAfterSecs < 90) return countOf(retryAfterSecs, words.login.tryInSeconds);
  return countOf(Math.ceil(retryAfterSecs / 60), words.login.tryInMinutes);
}

/** `forbidden` concerns the current password, if one is requested. */
const FIELDS: Readonly<Partial<Record<FailureKind, Problem["field"]>>> = { setup_code_required: "code", forbidden: "current" };

export const problemFrom = (error: unknown): Problem => ({
  text: textOf(error),
  field: (error instanceof ServiceError && FIELDS[error.kind]) || "password",
});

export const ProblemText = ({ problem }: { readonly problem: Problem | null }) => (
  <p class="problem" id="password-problem" role="alert">
    {problem?.text}
  </p>
);

interface PasswordFieldProps {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly value: string;
  readonly isInvalid: boolean;
  readonly onInput: (value: string) => void;
  readonly id?: string;
  readonly kind: PasswordFormProps["kind"];
  readonly minLength?: number;
}

export function PasswordField({ id = "password", input, label, value, isInvalid, kind, minLength = 1, onInput }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  // The types of JSX let no attribute `type` change.
  useEffect(() => {
    if (input.current) input.current.type = isShown ? "text" : "password";
  }, [isShown]);
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <span class="password-field">
        <input
          id={id}
          ref={input}
          type="password"
          name={id}
          required
          minLength={minLength}
          autocomplete={kind}
          aria-invalid={isInvalid}
          aria-describedby="password-problem"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        <button
          type="button"
          class="link"
          aria-label={fill(words.login.showField, { field: label })}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? words.login.hide : words.login.show}
        </button>
      </span>
    </div>
  );
}

export function PasswordForm({ label, codeLabel, action, kind, minLength = 1, mayStay = false, onSubmit }: PasswordFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const codeInput = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState("");
  const [password, setPassword] = useState("");
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isInvalid = (field: "password" | "code") => problem !== null && (problem.field === "code") === (field === "code");

  useEffect(() => (codeInput.current ?? input.current)?.focus(), []);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(password, code, remember);
    } catch (error) {
      setProblem(problemFrom(error));
    }
    setBusy(false);
  }

  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <input type="text" name="username" autocomplete="username" value="admin" hidden readOnly />
      {codeLabel !== undefined && (
        <div class="labelled">
          <label for="setup-code">{codeLabel}</label>
          <input
            id="setup-code"
            ref={codeInput}
            name="code"
            required
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            aria-invalid={isInvalid("code")}
            aria-describedby="password-problem"
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </div>
      )}
      <PasswordField
        input={input}
        label={label}
        value={password}
        isInvalid={isInvalid("password")}
        kind={kind}
        minLength={minLength}
        onInput={setPassword}
      />
      <ProblemText problem={problem} />
      {mayStay && (
        <label class="choice">
          <input type="checkbox" name="remember" checked={remember} onChange={(event) => setRemember(event.currentTarget.checked)} />{" "}
          {words.login.keepLoggedIn}
        </label>
      )}
      <button type="submit" class="button primary" disabled={isBusy}>
        {action}
      </button>
    </form>
  );
}
