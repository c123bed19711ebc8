/** Asks for a password, and says in place why it was not taken. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ServiceError } from "../api/service.ts";

interface PasswordFormProps {
  readonly label: string;
  readonly action: string;
  /** For password managers. */
  readonly kind: "current-password" | "new-password";
  readonly minLength?: number;
  readonly onSubmit: (password: string) => Promise<void>;
}

function problemOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return "Something went wrong.";
  if (error.retryAfterSecs === null) return error.message;
  const minutes = Math.ceil(error.retryAfterSecs / 60);
  return `${error.message} (in ${error.retryAfterSecs < 90 ? `${error.retryAfterSecs} seconds` : `${minutes} minutes`})`;
}

export function PasswordForm({ label, action, kind, minLength = 1, onSubmit }: PasswordFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState("");
  const [isShown, setShown] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (field.current) field.current.type = isShown ? "text" : "password";
  }, [isShown]);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(password);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  }

  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <input type="text" name="username" autocomplete="username" value="admin" hidden readOnly />
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
            aria-invalid={problem !== null}
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
        {problem}
      </p>
      <button type="submit" class="button primary" disabled={isBusy}>
        {action}
      </button>
    </form>
  );
}
