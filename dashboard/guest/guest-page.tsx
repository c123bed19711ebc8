/** The page of a share link or public site: password form, dead link, dashboard, or a view in a frame. Guests change nothing. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import type { SharedSite } from "../api/types.ts";
import { FilterPills } from "../filters/filter-pills.tsx";
import { formatRange, formatTimestamp } from "../format/locale.ts";
import { Form } from "../kit/forms.tsx";
import { LinkButton, SiteIcon } from "../kit/inline.tsx";
import type { MenuItem } from "../kit/menu.tsx";
import { printPage } from "../kit/printing.ts";
import { OutageBanner, ReadingStatus } from "../kit/states.tsx";
import { languageItems } from "../kit/language.ts";
import { themeItems } from "../kit/theme.ts";
import { OpenPanel, PageLayout, StatsFoot, StatsTitle } from "../page/page-layout.tsx";
import { SiteView } from "../page/site-view.tsx";
import { useTabTitle } from "../page/tab-title.ts";
import { Bar, CurrentVisitors, exploreItems, ViewTools } from "../page/top-bar.tsx";
import { LoginFrame } from "../setup/login.tsx";
import { PasswordField, problemFrom, ProblemText, type Problem } from "../setup/password-form.tsx";
import { outage } from "../state/connection.ts";
import { siteName, timeZone } from "../state/known-sites.ts";
import { nowMs, range } from "../state/period.ts";
import { useRealtimePolling } from "../state/realtime.ts";
import { useAction, usePolling, type Rhythm } from "../state/requests.ts";
import { applyShare, SHARE_PATH, shared, shareStatus, unlockShare } from "../state/share.ts";
import { navigate, param, PERIOD_PARAMS, search } from "../state/url.ts";
import { hasRealtime, isRealtime, openPanel, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";

/** Parameters of the frame's address, whatever the reader chooses later. */
const FRAME = new URLSearchParams(location.search);

const isEmbedded = FRAME.get("embed") === "1";

const hasOtherDates = (): boolean => PERIOD_PARAMS.some((name) => param(name) !== FRAME.get(name));

/** Reports the height of the content to the embedding page. The height is not secret, so any page may receive it. */
function tellHeight(content: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    parent.postMessage({ type: "sandpiper:height", height: Math.ceil(content.getBoundingClientRect().height) }, "*");
  });
  observer.observe(content);
  return () => observer.disconnect();
}

/** The URL of this view without the frame. */
function wholePageUrl(): string {
  const parameters = new URLSearchParams(search.value);
  for (const name of ["embed", "theme", "panel"]) parameters.delete(name);
  const query = parameters.toString();
  return `${location.origin}${location.pathname}${query === "" ? "" : `?${query}`}`;
}

/** The bar polls elsewhere. */
function RealtimePolling() {
  useRealtimePolling();
  return null;
}

/** Returns to the dates and interval of the frame's address, and keeps the focus, which is on a button that disappears. */
function leaveDates(): void {
  navigate(Object.fromEntries([...PERIOD_PARAMS, "interval"].map((name) => [name, FRAME.get(name)])));
  document.getElementById("content")?.focus({ preventScroll: true });
}

function EmbeddedView() {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => (content.current ? tellHeight(content.current) : undefined), []);
  const period = formatRange(range.value.start, range.value.end);
  return (
    <div class="embedded" ref={content}>
      {isRealtime() && <RealtimePolling />}
      <OutageBanner />
      <ReadingStatus />
      <main id="content" class="content" tabIndex={-1}>
        <StatsTitle />
        <FilterPills />
        <SiteView sites={[]} />
        <footer class="page-foot">
          <span>{fill(words.guest.about, { site: siteName.value, dates: period, zone: timeZone.value })}</span>
          {hasOtherDates() && <LinkButton onClick={leaveDates}>{words.guest.allDates}</LinkButton>}
          <a class="link" href={wholePageUrl()} target="_blank" rel="noopener">
            {words.guest.openFull}
          </a>
        </footer>
      </main>
      <OpenPanel />
    </div>
  );
}

const guestItems = (): readonly (MenuItem | null)[] => [
  ...exploreItems(),
  { label: words.guest.export, onChoose: () => openPanel("export") },
  { label: words.page.print, onChoose: () => void printPage() },
  null,
  ...themeItems(),
  null,
  ...languageItems(),
  null,
  { label: words.guest.help, hint: "?", onChoose: () => openPanel("help") },
];

/** A link without its own name shows only the site's. */
const GuestBar = () => (
  <Bar tools={<ViewTools />} items={guestItems()}>
    <p class="viewed-site">
      <SiteIcon siteId={site.value ?? ""} />
      <strong title={site.value ?? ""}>{siteName.value}</strong>
      {shared.value?.name && <span class="dim">{shared.value.name}</span>}
    </p>
    {hasRealtime() && <CurrentVisitors />}
  </Bar>
);

/** The page announces the end of the link this long before. */
const NEAR_MS = 7 * 86_400_000;

const NO_SITES: readonly string[] = [];

function Expiry() {
  const expiresAt = shared.value?.expires_at ?? null;
  if (expiresAt === null || Date.parse(expiresAt) - nowMs.value > NEAR_MS) return null;
  return (
    <p class="notice" role="status">
      {fill(words.guest.worksUntil, { time: formatTimestamp(expiresAt, timeZone.value) })}
    </p>
  );
}

const GuestDashboard = () => (
  <PageLayout sites={NO_SITES} bar={<GuestBar />}>
    <StatsTitle />
    <p class="shared-by">
      <span>{fill(words.guest.sharedBy, { site: siteName.value })}</span>
      <small>{fill(words.guest.poweredBy, { product: PRODUCT_NAME })}</small>
    </p>
    <Expiry />
    <FilterPills />
    <SiteView sites={NO_SITES} />
    <StatsFoot />
  </PageLayout>
);

function UnlockForm() {
  const input = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState("");
  const { isBusy, problem, run } = useAction<Problem>(problemFrom);
  useLayoutEffect(() => input.current?.focus(), []);

  return (
    <LoginFrame title={words.guest.enterPassword}>
      <p>{words.guest.protected}</p>
      <Form onSubmit={() => void run(() => unlockShare(password))}>
        <PasswordField
          id="link-password"
          input={input}
          label={words.guest.password}
          value={password}
          isInvalid={problem !== null}
          kind="current-password"
          onInput={setPassword}
        />
        <ProblemText problem={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {words.guest.open}
        </button>
      </Form>
    </LoginFrame>
  );
}

/** Closes a link that was revoked, or whose day has ended, on an open page. */
const RHYTHM: Rhythm = { firstMs: 60_000, pauseMs: () => 60_000 };

const DeadLink = () => (
  <LoginFrame title={words.guest.dead}>
    <p>{words.guest.deadAbout}</p>
  </LoginFrame>
);

function OpenLink() {
  usePolling<SharedSite>(SHARE_PATH, RHYTHM, (response) => {
    nowMs.value = Date.now();
    applyShare(response);
  });
  useTabTitle(siteName.value);
  // Without the link, the name of the site is not shown.
  useEffect(() => () => void (document.title = PRODUCT_NAME), []);
  return isEmbedded ? <EmbeddedView /> : <GuestDashboard />;
}

export function GuestPage() {
  if (shareStatus.value === "dead") return <DeadLink />;
  if (shareStatus.value === "locked") return <UnlockForm />;
  if (shareStatus.value === "open") return <OpenLink />;
  return <main class="login">{outage.value !== null && <OutageBanner hasNumbers={false} />}</main>;
}
