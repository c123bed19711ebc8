/** Adds a site: its domain, its tracking code, and the wait for its first event. Meanwhile reports other names that arrive, and later what to check. */
import { useEffect, useRef, useState } from "preact/hooks";
import { DEMO_SITE } from "../../src/shared/names.ts";
import { scriptUrl } from "../api/addresses.ts";
import { getInstallation, getSettings, putSettings } from "../api/endpoints.ts";
import { problemText, urlOf } from "../api/http.ts";
import type { Installation, Sites } from "../api/types.ts";
import { ownZone, zoneLabel, zoneNames } from "../format/zones.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form, Radios, Select } from "../kit/forms.tsx";
import { Button, INLINE, LinkButton, Marked } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { readableId, useSites } from "../state/known-sites.ts";
import { useAction, usePolling } from "../state/requests.ts";
import { Shore } from "../kit/shore.tsx";
import { closePanel, openPanel, openSite, site } from "../state/view.ts";
import { rich, words } from "../words/words.ts";
import { awaitedSite, AWAITING, openArrivedSite } from "./arrival.ts";
import { arrivingNames, refusalChecks, thingsToCheck } from "./checks.ts";
import { CheckList, InstallationDialog } from "./installation-dialog.tsx";
import { LoginFrame } from "./login.tsx";
import { ExploreDemo } from "./notices.tsx";
import { siteIdsFrom } from "./site-id.ts";
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
    <Shore scene="arriving" />
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

/**
 * Sets the zone of a site that nobody has set up, and that has no events: then it counts at once (docs/time-zones.md). Another site keeps
 * its zone.
 */
async function setZone(siteId: string, zone: string): Promise<void> {
  const saved = await getSettings(siteId);
  if (saved.created_at !== null || saved.time_zone_in_force === zone) return;
  if (!(await getInstallation(siteId)).has_events) await putSettings(siteId, { ...saved, time_zone: zone });
}

function SiteForm({ onConfirm }: { readonly onConfirm: (siteId: string) => void }) {
  const [typed, setTyped] = useState("");
  const [picked, setPicked] = useState<string | null>(null);
  const [zone, setZoneName] = useState(ownZone);
  const ids = siteIdsFrom(typed);
  const siteId = ids.find((id) => id === picked) ?? ids[0];
  const isInvalid = typed !== "" && siteId === undefined;
  const { isBusy, problem, run } = useAction(problemText);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  async function confirm() {
    if (siteId === undefined) return input.current?.focus();
    if (authState.value === "logged_in") await setZone(siteId, zone);
    onConfirm(siteId);
  }

  return (
    <Form onSubmit={() => void run(confirm)}>
      <label>
        {words.setup.domain}
        <input
          ref={input}
          type="text"
          name="site"
          inputMode="url"
          placeholder="example.com"
          autofocus
          required
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={isInvalid}
          aria-describedby="domain-problem"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <p class="problem" id="domain-problem">
        {isInvalid && words.setup.enterDomain}
      </p>
      {siteId !== undefined && ids.length > 1 && (
        <Radios
          legend={words.setup.which}
          name="site-id"
          labels={Object.fromEntries(ids.map((id) => [id, readableId(id)]))}
          chosen={siteId}
          onChoose={setPicked}
        />
      )}
      {siteId !== undefined && ids.length === 1 && typed.trim() !== readableId(siteId) && (
        <p class="dim">{rich(words.setup.siteName, { ...INLINE, site: readableId(siteId) })}</p>
      )}
      {authState.value === "logged_in" && (
        <Select
          label={words.setup.daysBegin}
          labels={Object.fromEntries(zoneNames().map((name) => [name, zoneLabel(name)]))}
          chosen={zone}
          onChoose={setZoneName}
        />
      )}
      <Problem text={problem} />
      <button type="submit" class="button primary" disabled={isBusy}>
        {words.setup.next}
      </button>
    </Form>
  );
}

interface AddSiteProps {
  /** null until it is confirmed. */
  readonly siteId: string | null;
  readonly onConfirm: (siteId: string | null) => void;
  /** What happens with the first event. */
  readonly next: string;
}

const AddSite = ({ siteId, onConfirm, next }: AddSiteProps) =>
  siteId === null ? (
    <SiteForm onConfirm={onConfirm} />
  ) : (
    <>
      <p>
        <strong>{readableId(siteId)}</strong> · <LinkButton onClick={() => onConfirm(null)}>{words.setup.change}</LinkButton>
      </p>
      <Snippet siteId={siteId} />
      <Waiting siteId={siteId} before={null} />
      <p class="dim">{next}</p>
    </>
  );

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
      <AddSite siteId={siteId} onConfirm={setSiteId} next={words.setup.publish} />
      {siteId !== null && <Button onClick={() => openSite(siteId)}>{words.setup.openDashboard}</Button>}
    </Dialog>
  );
}

/** The first event of any site opens its dashboard until one is confirmed. */
function AnySite() {
  usePolling<Sites>("/api/sites", AWAITING, ({ sites }) => {
    const first = sites.find((known) => known !== DEMO_SITE);
    if (first !== undefined) openArrivedSite(first);
  });
  return null;
}

export function FirstSitePage() {
  const [siteId, setSiteId] = useState<string | null>(null);
  return (
    <LoginFrame title={words.setup.addFirst}>
      <AddSite siteId={siteId} onConfirm={setSiteId} next={words.setup.publishFirst} />
      {siteId === null && <AnySite />}
      <ExploreDemo />
    </LoginFrame>
  );
}
