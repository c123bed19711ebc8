/** Asks for a password, and where needed for the setup code, and says in place why they were not taken. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ServiceError } from "../api/service.ts";

interface PasswordFormProps {
  readonly label: string;
  /** Of the field for the setup code, where there is one. */
  readonly codeLabel?: string;
  readonly action: string;
  /** For password managers. */
  readonly kind: "current-password" | "new-password";
  readonly minLength?: number;
  readonly onSubmit: (password: string, code: string) => Promise<void>;
}

interface Problem {
  readonly text: string;
  /** Or of the password. */
  readonly isOfCode: boolean;
}

function problemOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return "Something went wrong.";
  if (error.retryAfterSecs === null) return error.message;
  const minutes = Math.ceil(error.retryAfterSecs / 60);
  return `${error.message} (in ${error.retryAfterSecs < 90 ? `${error.retryAfterSecs} seconds` : `${minutes} minutes`})`;
}

export function PasswordForm({ label, codeLabel, action, kind, minLength = 1, onSubmit }: PasswordFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const codeField = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState("");
  const [password, setPassword] = useState("");
  const [isShown, setShown] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);

  useEffect(() => (codeField.current ?? field.current)?.focus(), []);
  useEffect(() => {
    if (field.current) field.current.type = isShown ? "text" : "password";
  }, [isShown]);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(password, code);
    } catch (error) {
      setProblem({ text: problemOf(error), isOfCode: error instanceof ServiceError && error.kind === "unverified" });
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
            ref={codeField}
            name="code"
            required
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            aria-invalid={problem?.isOfCode === true}
            aria-describedby="password-problem"
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </div>
      )}
      <div class="labelled">
        <label for="password">{label}</label>
        <span class="password-field">
          <input
            id="password"
            ref={field}
            type="password"
            name="password"
            required
            minLength={minLength}
            autocomplete={kind}
            aria-invalid={problem?.isOfCode === false}
            aria-describedby="password-problem"
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
          <button type="button" class="link" aria-label="Show password" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide" : "Show"}
          </button>
        </span>
      </div>
      <p class="problem" id="password-problem" role="alert">
        {problem?.text}
      </p>
      <button type="submit" class="button primary" disabled={isBusy}>
        {action}
      </button>
    </form>
  );
}
