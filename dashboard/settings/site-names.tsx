/** The id of a site: its earlier ids, the sites that were merged into it, and the dialogs that rename it and merge it into another. */
import { useState } from "preact/hooks";
import { SITE_NAMES_PATH, mergeSite, renameSite } from "../api/endpoints.ts";
import { problemText, sendJson } from "../api/http.ts";
import { deleteImport } from "../api/imports.ts";
import type { OtherSiteName, OtherSiteNames } from "../api/types.ts";
import { formatLongDay } from "../format/locale.ts";
import { Dialog, PasswordRequired } from "../kit/dialog.tsx";
import { ConfirmedButton, Form, Select } from "../kit/forms.tsx";
import { Button, INLINE } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { siteIdFrom } from "../setup/site-id.ts";
import { authState } from "../state/connection.ts";
import { nameOf, ownSites, readableId, useSites } from "../state/known-sites.ts";
import { reloadAll, useAction, usePolling, type Rhythm } from "../state/requests.ts";
import { closePanel, openPanel, openSite, site } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";
import { ALL_SETTINGS, discardChanges } from "./settings-form.tsx";

const WORKING_MS = 1000;
const IDLE_MS = 60_000;

const dayOf = (instant: string): string => formatLongDay(instant.slice(0, 10));

function nameText({ name, site_id: current, reason, complete, until }: OtherSiteName): string {
  const of = words.siteNames[reason];
  const ids = { name: readableId(name), site: readableId(current) };
  return complete && until !== null ? fill(of.until, { ...ids, date: dayOf(until) }) : fill(of.begun, ids);
}

function NameRow({ other, onUndone }: { readonly other: OtherSiteName; readonly onUndone: () => void }) {
  const { isBusy, problem, run } = useAction(problemText);
  const { import_id: id, complete } = other;
  const undo = async () => {
    if (id !== null) await deleteImport(id);
    onUndone();
    reloadAll();
  };
  return (
    <li class="item">
      <p class="item-text">{nameText(other)}</p>
      {id !== null && complete && !isBusy && (
        <div class="item-tools">
          <ConfirmedButton
            label={words.siteNames.undo}
            confirmLabel={words.siteNames.confirmUndo}
            subject={readableId(other.name)}
            onConfirm={() => void run(undo)}
          />
        </div>
      )}
      <Problem text={problem} />
    </li>
  );
}

const loadNames = (url: string, signal: AbortSignal) => sendJson<OtherSiteNames>(url, { signal });

export function SiteNamesSection({ siteId }: { readonly siteId: string }) {
  const [known, setKnown] = useState<readonly OtherSiteName[]>([]);
  const names = known.filter(({ name, site_id: current }) => name === siteId || current === siteId);
  const rhythm: Rhythm = { firstMs: 0, pauseMs: () => (names.some(({ complete }) => !complete) ? WORKING_MS : IDLE_MS) };
  usePolling<OtherSiteNames>(SITE_NAMES_PATH, rhythm, (all) => setKnown(all.names), loadNames);
  const forget = (other: OtherSiteName) => setKnown(known.filter((each) => each !== other));
  return (
    <section class="panel" aria-labelledby="names-title">
      <h2 id="names-title">{words.siteNames.title}</h2>
      <p class="dim">{rich(words.siteNames.about, { ...INLINE, site: readableId(siteId) })}</p>
      {names.length > 0 && (
        <ul class="items" aria-label={words.siteNames.others}>
          {names.map((other) => (
            <NameRow key={`${other.name} ${other.import_id}`} other={other} onUndone={() => forget(other)} />
          ))}
        </ul>
      )}
      <div class="actions">
        <Button onClick={() => openPanel("rename-site")}>{words.siteNames.rename}</Button>
        <Button onClick={() => openPanel("merge-site")}>{words.siteNames.merge}</Button>
      </div>
    </section>
  );
}

const WHILE_COPYING: Rhythm = { firstMs: WORKING_MS, pauseMs: () => WORKING_MS };

/** Opens the settings of the site that has the events now. While they are still being copied, it says so and waits. */
function useMove(siteId: string) {
  const [isCopying, setCopying] = useState(false);
  const action = useAction(problemText);
  const openMoved = ({ complete, site_id: current }: OtherSiteName) => {
    setCopying(!complete);
    if (!complete) return;
    discardChanges(siteId, ALL_SETTINGS);
    openSite(current, { view: "settings", section: "data" }, true);
    reloadAll();
  };
  const onNames = ({ names }: OtherSiteNames) => {
    const moved = names.find(({ name }) => name === siteId);
    if (moved) openMoved(moved);
    // It was given up.
    else setCopying(false);
  };
  usePolling(isCopying ? SITE_NAMES_PATH : null, WHILE_COPYING, onNames, loadNames);
  const move = (ask: () => Promise<OtherSiteName>) => void action.run(() => ask().then(openMoved));
  return { ...action, isCopying, move };
}

const Copying = ({ isCopying }: { readonly isCopying: boolean }) => <p role="status">{isCopying ? words.siteNames.inBackground : ""}</p>;

function RenameForm({ siteId }: { readonly siteId: string }) {
  const [typed, setTyped] = useState("");
  const { isBusy, isCopying, problem, move } = useMove(siteId);
  const newId = siteIdFrom(typed);
  const isInvalid = typed !== "" && newId === null;
  return (
    <Form onSubmit={() => newId !== null && move(() => renameSite(siteId, newId))}>
      <label>
        {words.siteNames.newId}
        <input
          type="text"
          name="new-id"
          inputMode="url"
          required
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={isInvalid}
          aria-describedby="new-id-problem"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <p class="problem" id="new-id-problem">
        {isInvalid && words.setup.enterDomain}
      </p>
      {newId !== null && typed.trim() !== readableId(newId) && (
        <p class="dim">{rich(words.setup.siteName, { ...INLINE, site: readableId(newId) })}</p>
      )}
      <Problem text={problem} />
      <button type="submit" class="button primary" disabled={isBusy || newId === null || isCopying}>
        {isBusy ? words.siteNames.renaming : words.siteNames.renameNow}
      </button>
      <Copying isCopying={isCopying} />
    </Form>
  );
}

export function RenamePanel() {
  const siteId = site.value ?? "";
  const { renameTitle: title, passwordNeeded, renameAbout, renameHint } = words.siteNames;
  if (authState.value !== "logged_in") return <PasswordRequired title={title}>{passwordNeeded}</PasswordRequired>;
  return (
    <Dialog title={title} onClose={closePanel}>
      <p>{rich(renameAbout, { ...INLINE, site: readableId(siteId) })}</p>
      <p class="dim">{renameHint}</p>
      <RenameForm key={siteId} siteId={siteId} />
    </Dialog>
  );
}

function MergeForm({ siteId }: { readonly siteId: string }) {
  const { data } = useSites();
  const others = ownSites(data?.sites ?? []).filter((id) => id !== siteId);
  const [picked, setPicked] = useState<string | null>(null);
  const { isBusy, isCopying, problem, move } = useMove(siteId);
  const into = others.find((id) => id === picked) ?? others[0];
  if (into === undefined) return <p>{words.siteNames.noOthers}</p>;
  return (
    <Form onSubmit={() => move(() => mergeSite(siteId, into))}>
      <Select
        label={words.siteNames.into}
        labels={Object.fromEntries(others.map((id) => [id, nameOf(id)]))}
        chosen={into}
        onChoose={setPicked}
      />
      <Problem text={problem} />
      <button type="submit" class="button primary" disabled={isBusy || isCopying}>
        {isBusy ? words.siteNames.merging : words.siteNames.mergeNow}
      </button>
      <Copying isCopying={isCopying} />
    </Form>
  );
}

export function MergePanel() {
  const siteId = site.value ?? "";
  const { mergeTitle: title, passwordNeeded, mergeAbout, mergeHint } = words.siteNames;
  if (authState.value !== "logged_in") return <PasswordRequired title={title}>{passwordNeeded}</PasswordRequired>;
  return (
    <Dialog title={title} onClose={closePanel}>
      <p>{rich(mergeAbout, { ...INLINE, site: readableId(siteId) })}</p>
      <p class="dim">{fill(mergeHint, { site: readableId(siteId) })}</p>
      <MergeForm key={siteId} siteId={siteId} />
    </Dialog>
  );
}
