/** All sites' settings as one file: download, and import after a confirmation. */
import { useRef, useState } from "preact/hooks";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { problemText } from "../api/http.ts";
import { getAllSettings, putAllSettings } from "../api/site.ts";
import { countOf } from "../format/locale.ts";
import { saveFile } from "../kit/download.ts";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction, reloadAll } from "../state/requests.ts";

interface SettingsFileContent {
  readonly sites: readonly { readonly site_id: string }[];
}

const FILE_NAME = `${PRODUCT_NAME.toLowerCase()}-settings.json`;

/** Lists at most this many sites. */
const NAMED_MAX = 5;

class NoSettingsFile extends Error {}

/** The service checks the rest. @throws NoSettingsFile if the text is not a settings file */
function parseFile(text: string): SettingsFileContent {
  try {
    const content = JSON.parse(text) as Partial<SettingsFileContent> | null;
    if (Array.isArray(content?.sites) && content.sites.every(({ site_id }) => typeof site_id === "string"))
      return content as SettingsFileContent;
  } catch {
    // No JSON.
  }
  throw new NoSettingsFile("This isn't a settings file.");
}

const problemOf = (error: unknown): string => (error instanceof NoSettingsFile ? error.message : problemText(error));

function namesOf({ sites }: SettingsFileContent): string {
  const names = sites.slice(0, NAMED_MAX).map(({ site_id }) => site_id);
  return [...names, ...(sites.length > NAMED_MAX ? [`${sites.length - NAMED_MAX} more`] : [])].join(", ");
}

interface ImportQuestionProps {
  readonly file: SettingsFileContent;
  readonly isBusy: boolean;
  readonly onImport: () => void;
  readonly onCancel: () => void;
}

const ImportQuestion = ({ file, isBusy, onImport, onCancel }: ImportQuestionProps) => (
  <div class="notice" role="status">
    <p>
      Replace the settings of {countOf(file.sites.length, "site")}: {namesOf(file)}? Other sites aren't affected.
    </p>
    <div class="actions">
      <button type="button" class="button primary" disabled={isBusy} onClick={onImport}>
        Import
      </button>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  </div>
);

function ImportButton({ onChoose }: { readonly onChoose: (file: File | undefined) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>Import settings…</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
        aria-label="Settings file"
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.files?.[0]);
          // The same file can be chosen again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}

export function SettingsFile() {
  const [file, setFile] = useState<SettingsFileContent | null>(null);
  const [status, setStatus] = useState("");
  const { isBusy, problem, run } = useAction(problemOf);

  async function download() {
    const content = JSON.stringify(await getAllSettings(), null, 2);
    saveFile(FILE_NAME, new Blob([content], { type: "application/json" }));
    setStatus("Saved to your downloads.");
  }

  async function open(chosen: File | undefined) {
    setStatus("");
    setFile(null);
    if (chosen) setFile(parseFile(await chosen.text()));
  }

  async function load() {
    await putAllSettings(file);
    setFile(null);
    setStatus("Settings imported.");
    reloadAll();
  }

  return (
    <>
      <p class="dim">
        Download the settings of all sites as a file, for a backup or for another installation. It doesn't contain goals, segments,
        annotations, passwords, API keys or share links.
      </p>
      <div class="actions">
        <Button onClick={() => void run(download)}>Download settings</Button>
        <ImportButton onChoose={(chosen) => void run(() => open(chosen))} />
      </div>
      <Problem text={problem} />
      {file && <ImportQuestion file={file} isBusy={isBusy} onImport={() => void run(load)} onCancel={() => setFile(null)} />}
      <p role="status">{status}</p>
    </>
  );
}
