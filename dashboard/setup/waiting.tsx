/** Adds a site: its domain, its tracking code, and the wait for its first event. Meanwhile reports other names that arrive, and later what to check. */
import { useEffect, useRef, useState } from "preact/hooks";
import { DEMO_SITE } from "../../src/shared/names.ts";
import { scriptUrl } from "../api/addresses.ts";
import { urlOf } from "../api/http.ts";
import type { Installation, Sites } from "../api/types.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Button, INLINE, LinkButton, Marked } from "../kit/inline.tsx";
import { useSites } from "../state/known-sites.ts";
import { usePolling } from "../state/requests.ts";
import { closePanel, openPanel, openSite, site } from "../state/view.ts";
import { rich, words } from "../words/words.ts";
import { awaitedSite, AWAITING, openArrivedSite } from "./arrival.tsx";
import { arrivingNames, refusalChecks, thingsToCheck } from "./checks.ts";
import { CheckList, InstallationDialog } from "./installation-dialog.tsx";
import { LoginFrame } from "./login.tsx";
import { ExploreDemo } from "./notices.tsx";
import { siteIdFrom } from "./site-id.ts";
import { Snippet } from "./tracking-code.tsx";

/** Publishing and visiting a page takes less if nothing is wrong. */
const LATE_MS = 20_000;

function useIsLate(siteId: string): boolean {
  const [lateId, setLateId] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setLateId(siteId), LATE_MS);
    return () => clearTimeout(timer);
  }, [siteId]);
  return lateId === siteId;
}

const WaitingLine = () => (
  <p class="waiting" role="status">
    <i class="pulse" aria-hidden="true" /> {words.setup.waiting}
  </p>
);

/** Opens the dialog within the view if the site's dashboard is shown. */
function CheckLink({ siteId, isLate }: { readonly siteId: string; readonly isLate: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      {isLate ? words.setup.stillNone : words.setup.noneYet}{" "}
      <LinkButton onClick={() => (site.value === siteId ? openPanel("installation") : setOpen(true))}>{words.setup.check}</LinkButton>
      {isOpen && <InstallationDialog siteId={siteId} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** The last answer; null before. Opens the dashboard with the first event, unless the site had events before. */
function useAwaited(siteId: string, sites: readonly string[] | undefined, before: Installation | null): Installation | null {
  const [answer, setAnswer] = useState(before && { siteId, installation: before });
  const last = answer?.siteId === siteId ? answer.installation : null;
  const url = last?.has_events ? null : urlOf("/api/installation", { site_id: siteId });
  usePolling<Installation>(url, AWAITING, (installation) => {
    const isExisting = last === null && sites?.includes(siteId);
    if (installation.has_events && !isExisting) openArrivedSite(siteId);
    else setAnswer({ siteId, installation });
  });
  return last;
}

/** `before` is null until it is requested. */
function Waiting({ siteId, before }: { readonly siteId: string; readonly before: Installation | null }) {
  const sites = useSites().data?.sites;
  const isLate = useIsLate(siteId);
  const installation = useAwaited(siteId, sites, before);
  if (installation?.has_events)
    return (
      <p class="awaiting" role="status">
        {rich(words.setup.hasEvents, {
          ...INLINE,
          site: siteId,
          open: (text) => <LinkButton onClick={() => openSite(siteId)}>{text}</LinkButton>,
        })}
      </p>
    );
  const problems = installation ? refusalChecks(siteId, installation) : [];
  const names = installation && sites ? arrivingNames(siteId, installation, sites, isLate) : [];
  return (
    <div class="awaiting">
      <WaitingLine />
      <div role="status">
        {names.length > 0 && (
          <ul class="other-names">
            {names.map((name) => (
              <li key={name}>
                {rich(words.setup.arriveFor, {
                  ...INLINE,
                  site: name,
                  open: (text) => (
                    <LinkButton onClick={() => (sites?.includes(name) ? openSite(name) : openArrivedSite(name))}>{text}</LinkButton>
                  ),
                })}
              </li>
            ))}
          </ul>
        )}
        {problems.length > 0 && <CheckList label={words.setup.problems} checks={problems} />}
        {isLate && (
          <div class="to-check">
            <p>{rich(words.setup.nothingYet, { ...INLINE, site: siteId })}</p>
            <ol>
              {thingsToCheck(siteId, scriptUrl()).map((text) => (
                <li key={text}>
                  <Marked text={text} />
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
      <CheckLink siteId={siteId} isLate={isLate} />
    </div>
  );
}

export interface SiteWithoutEventsProps {
  readonly siteId: string;
  /** A known answer: the site has no events. */
  readonly installation?: Installation | undefined;
}

export const SiteWithoutEvents = ({ siteId, installation }: SiteWithoutEventsProps) => (
  <section class="panel" aria-label={words.setup.firstEvent}>
    <Waiting siteId={siteId} before={installation ?? null} />
    <Snippet siteId={siteId} />
  </section>
);

/** `onChange` receives the site id while the domain is valid, else null. */
function AddSite({ onChange }: { readonly onChange: (siteId: string | null) => void }) {
  const [typed, setTyped] = useState("");
  const siteId = siteIdFrom(typed);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const isInvalid = typed !== "" && siteId === null;
  return (
    <>
      <div class="form">
        <label>
          {words.setup.domain}
          <input
            ref={input}
            type="text"
            name="site"
            inputMode="url"
            placeholder="example.com"
            autofocus
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-invalid={isInvalid}
            aria-describedby="domain-problem"
            value={typed}
            onInput={({ currentTarget: { value } }) => {
              setTyped(value);
              onChange(siteIdFrom(value));
            }}
          />
        </label>
        <p class="problem" id="domain-problem">
          {isInvalid && words.setup.enterDomain}
        </p>
      </div>
      {siteId !== null && (
        <>
          {/* For example of a domain with an umlaut. */}
          {typed.trim() !== siteId && <p class="dim">{rich(words.setup.siteName, { ...INLINE, site: siteId })}</p>}
          <Snippet siteId={siteId} />
          <Waiting siteId={siteId} before={null} />
        </>
      )}
    </>
  );
}

export function AddSitePanel() {
  const [siteId, setSiteId] = useState<string | null>(null);
  const sites = useSites().data?.sites;
  const newSite = useRef<string | null>(null);
  newSite.current = siteId === null || sites?.includes(siteId) !== false ? null : siteId;
  useEffect(
    () => () => {
      awaitedSite.value = newSite.current;
    },
    [],
  );
  return (
    <Dialog title={words.setup.addSite} onClose={closePanel}>
      <AddSite onChange={setSiteId} />
      <p class="dim">{words.setup.publish}</p>
      {siteId !== null && <Button onClick={() => openSite(siteId)}>{words.setup.openDashboard}</Button>}
    </Dialog>
  );
}

/** The first event of any site opens its dashboard until a domain is entered. */
function AnySite() {
  usePolling<Sites>("/api/sites", AWAITING, ({ sites }) => {
    const first = sites.find((known) => known !== DEMO_SITE);
    if (first !== undefined) openArrivedSite(first);
  });
  return <WaitingLine />;
}

export function FirstSitePage() {
  const [siteId, setSiteId] = useState<string | null>(null);
  return (
    <LoginFrame title={words.setup.addFirst}>
      <AddSite onChange={setSiteId} />
      {siteId === null && <AnySite />}
      <p class="dim">{words.setup.publishFirst}</p>
      <ExploreDemo />
    </LoginFrame>
  );
}
