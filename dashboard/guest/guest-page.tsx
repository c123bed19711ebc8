/** The page of a share link or a public site: its password, its end, or what it shows. Viewers change nothing. */
import { useEffect } from "preact/hooks";
import type { SharedSite } from "../api/types.ts";
import { OutageBanner } from "../kit/states.tsx";
import { LoginFrame } from "../setup/login-frame.tsx";
import { PRODUCT_NAME } from "../names.ts";
import { outage } from "../state/connection.ts";
import { siteName } from "../state/known-sites.ts";
import { nowMs } from "../state/period.ts";
import { applyShare, shareStatus, SHARE_PATH } from "../state/share.ts";
import { usePolling, type Rhythm } from "../state/use-polling.ts";
import { EmbeddedView } from "./embedded-view.tsx";
import { isEmbedded } from "./embedding.ts";
import { UnlockForm } from "./unlock-form.tsx";
import { ViewerDashboard } from "./guest-dashboard.tsx";

/** So that a link which was revoked, or whose day has ended, does not stay open. */
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
  return isEmbedded ? <EmbeddedView /> : <ViewerDashboard />;
}

export function ViewerPage() {
  if (shareStatus.value === "dead") return <DeadLink />;
  if (shareStatus.value === "locked") return <UnlockForm />;
  if (shareStatus.value === "open") return <OpenLink />;
  return <main class="login">{outage.value !== null && <OutageBanner />}</main>;
}
