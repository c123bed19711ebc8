/** The dialog of one import: its upload, what its files have, the confirmation, the run, and what came of it. */
import { useState } from "preact/hooks";
import { problemText } from "../api/http.ts";
import type { Import } from "../api/types.ts";
import { formatRange } from "../format/locale.ts";
import { Dialog, PasswordRequired } from "../kit/dialog.tsx";
import { ConfirmedButton } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Loading, Problem } from "../kit/states.tsx";
import { authState } from "../state/connection.ts";
import { readableId } from "../state/known-sites.ts";
import { useAction } from "../state/requests.ts";
import { closePanel, panel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import type { ChosenFile } from "./chosen-files.ts";
import { FileButtons } from "./file-buttons.tsx";
import { Folded } from "./folded.tsx";
import { change, contentText, goOn, remove, useImport } from "./imports.ts";
import { ManifestView, ReconciliationView } from "./manifest.tsx";
import { ProgressBar } from "./progress.tsx";
import { isSending, uploads } from "./uploads.ts";

interface ViewProps {
  readonly details: Import;
  readonly onChange: (details: Import) => void;
}

/** Sends, or waits for the same files after a reload. */
function Receiving({ details }: { readonly details: Import }) {
  const [areOthers, setOthers] = useState(false);
  const { problem, run } = useAction(problemText);
  const { import_id: id, files } = details;
  const choose = (chosen: readonly ChosenFile[]) => void run(async () => setOthers(!(await goOn(details, chosen))));
  const waiting = uploads.value.get(id)?.problem;
  if (isSending(id))
    return (
      <>
        <p>{words.imports.keepOpen}</p>
        <p role="status">{waiting && fill(words.imports.goesOnLater, { problem: waiting })}</p>
      </>
    );
  const missing = files.filter(({ received, bytes }) => received < bytes).map(({ name }) => name);
  return (
    <>
      <Problem text={waiting ?? null} />
      <p>{words.imports.chooseAgain}</p>
      <ul class="paths">
        {missing.slice(0, NAMED_MAX).map((name, i) => (
          <li key={i}>{name}</li>
        ))}
        {missing.length > NAMED_MAX && <li>{fill(words.data.more, { count: missing.length - NAMED_MAX })}</li>}
      </ul>
      <FileButtons onChoose={choose} />
      <Problem text={areOthers ? words.imports.otherFiles : problem} />
    </>
  );
}

/** Names at most this many files. */
const NAMED_MAX = 10;

const resultText = ({ state, start_date: start, end_date: end, ...content }: Import): string =>
  [
    state === "shown" ? words.imports.isShown : words.imports.isHidden,
    start === null || end === null
      ? words.imports.nothingImported
      : fill(words.imports.result, { events: contentText(content), dates: formatRange(start, end) }),
  ].join(" ");

/** What deleting an import means for its reader. */
function discardWords({ state, source_site: source }: Import): readonly [label: string, confirmLabel: string] {
  if (source !== null) return [words.siteNames.undo, words.siteNames.confirmUndo];
  const hasEnded = state === "shown" || state === "hidden";
  return hasEnded ? [words.imports.undo, words.imports.confirmUndo] : [words.imports.discard, words.imports.confirmDiscard];
}

function ImportView({ details, onChange }: ViewProps) {
  const { isBusy, problem, run } = useAction(problemText);
  const { import_id: id, state, site_id: siteId, failure, manifest, reconciliation } = details;
  const changeTo = (what: "confirm" | "hide" | "show") => void run(async () => onChange(await change(id, what)));
  const discard = (label: string, confirmLabel: string) => (
    <ConfirmedButton label={label} confirmLabel={confirmLabel} onConfirm={() => void run(() => remove(details).then(closePanel))} />
  );
  const hasEnded = state === "shown" || state === "hidden";
  return (
    <>
      <ProgressBar details={details} />
      {state === "receiving" && <Receiving details={details} />}
      {(state === "reading" || state === "running") && <p>{words.imports.inBackground}</p>}
      {state === "deleting" && <p>{words.imports.states.deleting}</p>}
      {failure !== null && (
        <p class="problem" lang="en">
          {failure}
        </p>
      )}
      {hasEnded && <p class={state === "shown" ? "notice good" : "notice"}>{resultText(details)}</p>}
      {state === "ready" && <p>{fill(words.imports.check, { site: readableId(siteId) })}</p>}
      {reconciliation && reconciliation.length > 0 && <ReconciliationView rows={reconciliation} />}
      {manifest &&
        (hasEnded ? (
          <Folded title={words.imports.source}>
            <ManifestView manifest={manifest} />
          </Folded>
        ) : (
          <ManifestView manifest={manifest} />
        ))}
      <Problem text={problem} />
      <div class="actions import-actions">
        {state === "ready" && (
          <button type="button" class="button primary" disabled={isBusy} onClick={() => changeTo("confirm")}>
            {fill(words.imports.importInto, { site: readableId(siteId) })}
          </button>
        )}
        {state === "shown" && details.source_site === null && <Button onClick={() => changeTo("hide")}>{words.imports.hide}</Button>}
        {state === "hidden" && <Button onClick={() => changeTo("show")}>{words.imports.show}</Button>}
        {discard(...discardWords(details))}
      </div>
    </>
  );
}

function KnownImport({ id }: { readonly id: number }) {
  const { details, set } = useImport(id);
  if (details === null) return <p>{words.imports.gone}</p>;
  return details ? <ImportView details={details} onChange={set} /> : <Loading rows={5} />;
}

export function ImportPanel() {
  const id = Number(panel.value?.split(":")[1]);
  const title = fill(words.imports.dialogTitle, { id: `#${id}` });
  if (authState.value !== "logged_in") return <PasswordRequired title={title}>{words.imports.passwordNeeded}</PasswordRequired>;
  return (
    <Dialog title={title} onClose={closePanel} isWide>
      <KnownImport key={id} id={id} />
    </Dialog>
  );
}
