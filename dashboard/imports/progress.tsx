/** How far an import is that receives files, is read or runs. */
import type { Import } from "../api/types.ts";
import { countOf, formatBytes } from "../format/locale.ts";
import { fill, words } from "../words/words.ts";
import { receivedBytes, uploads } from "./uploads.ts";

interface Progress {
  readonly text: string;
  /** A fraction; absent if it is not known. */
  readonly share?: number;
}

/** null for an import that waits for somebody, or has ended. */
function progressOf(details: Import): Progress | null {
  const { import_id: id, state, bytes, rows, manifest } = details;
  if (state === "receiving") {
    const sent = Math.max(receivedBytes(details), uploads.value.get(id)?.sentBytes ?? 0);
    return { text: fill(words.imports.received, { sent: formatBytes(sent), all: formatBytes(bytes) }), share: sent / bytes };
  }
  if (state === "reading") return { text: fill(words.imports.reading, { rows: countOf(rows, words.counts.row) }) };
  if (state !== "running") return null;
  const all = manifest?.rows ?? rows;
  return {
    text: fill(words.imports.running, { rows, all: countOf(all, words.counts.row) }),
    ...(all > 0 && { share: Math.min(1, rows / all) }),
  };
}

export function ProgressBar({ details }: { readonly details: Import }) {
  const progress = progressOf(details);
  return (
    progress && (
      <div class="import-progress">
        <progress aria-label={words.imports.progress} value={progress.share} />
        <p class="dim">{progress.text}</p>
      </div>
    )
  );
}
