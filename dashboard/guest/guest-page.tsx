/** The page of a share link or public site: password form, dead link, or dashboard. Guests change nothing. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import type { SharedSite } from "../api/types.ts";
import { Form } from "../kit/forms.tsx";
import { OutageBanner } from "../kit/states.tsx";
import { LoginFrame } from "../setup/login.tsx";
import { PasswordField, problemFrom, ProblemText, type Problem } from "../setup/password-form.tsx";
import { outage } from "../state/connection.ts";
import { siteName } from "../state/known-sites.ts";
import { nowMs } from "../state/period.ts";
import { useAction, usePolling, type Rhythm } from "../state/requests.ts";
import { applyShare, SHARE_PATH, shareStatus, unlockShare } from "../state/share.ts";
import { EmbeddedView, isEmbedded } from "./embedded-view.tsx";
import { GuestDashboard } from "./guest-dashboard.tsx";

function UnlockForm() {
  const input = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState("");
  const { isBusy, problem, run } = useAction<Problem>(problemFrom);
  useLayoutEffect(() => input.current?.focus(), []);

  return (
    <LoginFrame title="Enter the password">
      <p>This dashboard is protected by a password. If you don't have it, ask the person who sent you the link.</p>
      <Form onSubmit={() => void run(() => unlockShare(password))}>
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
      </Form>
    </LoginFrame>
  );
}

/** Closes a link that was revoked, or whose day has ended, on an open page. */
const RHYTHM: Rhythm = { firstMs: 60_000, pauseMs: () => 60_000 };

const DeadLink = () => (
  <LoginFrame title="This link no longer works">
    <p>It was revoked, has expired or is incomplete. Ask the person who shared it for a new one.</p>
  </LoginFrame>
);

function OpenLink() {
  usePolling<SharedSite>(SHARE_PATH, RHYTHM, (response) => {
    nowMs.value = Date.now();
    applyShare(response);
  });
  useEffect(() => {
    const before = document.title;
    document.title = `${siteName.value} · ${PRODUCT_NAME}`;
    return () => {
      document.title = before;
    };
  }, [siteName.value]);
  return isEmbedded ? <EmbeddedView /> : <GuestDashboard />;
}

export function GuestPage() {
  if (shareStatus.value === "dead") return <DeadLink />;
  if (shareStatus.value === "locked") return <UnlockForm />;
  if (shareStatus.value === "open") return <OpenLink />;
  return <main class="login">{outage.value !== null && <OutageBanner />}</main>;
}
