/** The imports of a site: where files are chosen or dropped, and a list of what was imported. */
import { useState } from "preact/hooks";
import { IMPORT_UPLOAD_BYTES_MAX } from "../../src/shared/limits.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { problemText } from "../api/http.ts";
import { formatBytes, formatRange } from "../format/locale.ts";
import { Form } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { readableId } from "../state/known-sites.ts";
import { useAction } from "../state/requests.ts";
import { openPanel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { chosenByDrop, type ChosenFile, UnsuitableFiles } from "./chosen-files.ts";
import { FileButtons } from "./file-buttons.tsx";
import { Folded } from "./folded.tsx";
import { bring, change, contentText, type ImportSummary, useImports } from "./imports.ts";

const problemOf = (error: unknown): string => (error instanceof UnsuitableFiles ? error.message : problemText(error));

interface DropZoneProps {
  readonly onChoose: (chosen: readonly ChosenFile[] | Promise<readonly ChosenFile[]>) => void;
}

function DropZone({ onChoose }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={isOver ? "drop-zone over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) onChoose(chosenByDrop(event.dataTransfer));
      }}
    >
      <p>{words.imports.drop}</p>
      <FileButtons onChoose={onChoose} />
      <p class="dim">{fill(words.imports.asTheyAre, { size: formatBytes(IMPORT_UPLOAD_BYTES_MAX) })}</p>
    </div>
  );
}

const stateText = ({ state, start_date: start, end_date: end, ...content }: ImportSummary): string =>
  start === null || end === null || state === "running"
    ? words.imports.states[state]
    : fill(words.imports.stateWithEvents, {
        state: words.imports.states[state],
        events: contentText(content),
        dates: formatRange(start, end),
      });

function ImportRow({ summary }: { readonly summary: ImportSummary }) {
  const { import_id: id, state, product, source_site: source, failure } = summary;
  const { problem, run } = useAction(problemText);
  const from = source === null ? product : readableId(source);
  const name = `#${id}${from === null ? "" : ` ${from}`}`;
  const toggle = state === "shown" ? "hide" : "show";
  const open = () => openPanel(`import:${id}`);
  const subject = <span class="unseen"> {name}</span>;
  return (
    <li class="item">
      <div class="item-text">
        <h3>{name}</h3>
        <p class="dim">{stateText(summary)}</p>
        {failure !== null && <p lang="en">{failure}</p>}
      </div>
      <div class="item-tools">
        {source === null && (state === "shown" || state === "hidden") && (
          <Button onClick={() => void run(() => change(id, toggle))}>
            {words.imports[toggle]}
            {subject}
          </Button>
        )}
        {state === "ready" ? (
          <button type="button" class="button primary" onClick={open}>
            {words.imports.review}
            {subject}
          </button>
        ) : (
          <Button onClick={open}>
            {words.imports.details}
            {subject}
          </Button>
        )}
      </div>
      <Problem text={problem} />
    </li>
  );
}

export function ImportsSection({ siteId }: { readonly siteId: string }) {
  const imports = useImports(siteId);
  const [hostname, setHostname] = useState("");
  const [logFormat, setLogFormat] = useState("");
  const { isBusy, problem, run } = useAction(problemOf);
  const choose = (chosen: readonly ChosenFile[] | Promise<readonly ChosenFile[]>) =>
    void (isBusy || run(async () => bring({ siteId, chosen: await chosen, hostname, logFormat })));
  return (
    <section class="panel" aria-labelledby="imports-title">
      <h2 id="imports-title">{words.imports.title}</h2>
      <p class="dim">{fill(words.imports.about, { product: PRODUCT_NAME })}</p>
      <DropZone onChoose={choose} />
      <Problem text={problem} />
      <Folded title={words.imports.logOptions}>
        <Form onSubmit={() => {}}>
          <label>
            {words.imports.hostname}
            <input
              type="text"
              spellcheck={false}
              placeholder={siteId}
              value={hostname}
              onInput={({ currentTarget }) => setHostname(currentTarget.value)}
            />
          </label>
          <label>
            {words.imports.logFormat}
            <input type="text" spellcheck={false} value={logFormat} onInput={({ currentTarget }) => setLogFormat(currentTarget.value)} />
          </label>
        </Form>
      </Folded>
      {imports && imports.length > 0 && (
        <ul class="items" aria-label={words.imports.title}>
          {imports.map((summary) => (
            <ImportRow key={summary.import_id} summary={summary} />
          ))}
        </ul>
      )}
    </section>
  );
}
