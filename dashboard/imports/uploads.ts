/**
 * Uploads of this page. They go on while the reader looks at other views, through lost connections and ended sessions; the service says
 * what it has. After a reload, the same files go on where the import was.
 */
import { effect, signal } from "@preact/signals";
import { IMPORT_PART_BYTES_MAX, IMPORT_PART_BYTES_MIN } from "../../src/shared/limits.ts";
import { ServiceError } from "../api/http.ts";
import { getImport, putPart } from "../api/imports.ts";
import type { Import } from "../api/types.ts";
import { authState, handleFailure } from "../state/connection.ts";
import { fill, words } from "../words/words.ts";

interface Upload {
  /** Bytes that the service has. */
  readonly sentBytes: number;
  /** Why it waits, or has ended; null while it sends. */
  readonly problem: string | null;
  readonly hasEnded?: true;
}

/** Keyed by the number of the import. */
export const uploads = signal<ReadonlyMap<number, Upload>>(new Map());

const note = (id: number, now: Upload): void => {
  uploads.value = new Map(uploads.value).set(id, now);
};

function forget(id: number): void {
  const others = new Map(uploads.value);
  others.delete(id);
  uploads.value = others;
}

export const isSending = (id: number): boolean => uploads.value.has(id) && uploads.value.get(id)?.hasEnded !== true;

export const receivedBytes = ({ files }: Pick<Import, "files">): number => files.reduce((sum, { received }) => sum + received, 0);

/** Doubles with each failure in a row. */
const RETRY_MS = 1000;
const RETRY_MS_MAX = 30_000;

const pause = (failures: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(RETRY_MS * 2 ** failures, RETRY_MS_MAX)));

function loggedIn(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (authState.value !== "logged_in") return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

/** A file that was changed or removed since it was chosen. */
class LostFile extends Error {}

async function bytesOf(file: File, from: number, to: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(from, to).arrayBuffer();
  } catch {
    throw new LostFile(fill(words.imports.fileLost, { name: file.name }));
  }
}

/** Proxies may allow smaller bodies than the service, or give up on slow ones. */
const wantsSmallerParts = (error: ServiceError): boolean => error.kind === "too_large" || error.kind === "timeout";

/** The import does not wait for these bytes (any more), and says what it waits for. */
const isOutOfStep = (error: ServiceError): boolean => error.kind === "conflict";

/** Sends what is missing. `files`: in the order of the import's. Resolves when nothing is left to send; never rejects. */
export async function upload(id: number, files: readonly (File | undefined)[]): Promise<void> {
  if (isSending(id)) return;
  note(id, { sentBytes: 0, problem: null });
  let partBytes = IMPORT_PART_BYTES_MAX;
  for (let failures = 0; ; failures++) {
    try {
      let now = await getImport(id);
      while (now.state === "receiving") {
        note(id, { sentBytes: receivedBytes(now), problem: null });
        const next = now.files.findIndex(({ received, bytes }) => received < bytes);
        const [offset, file] = [now.files[next]?.received ?? 0, files[next]];
        if (!file) break;
        now = await putPart(id, next, offset, await bytesOf(file, offset, offset + partBytes));
        failures = 0;
      }
      return forget(id);
    } catch (error) {
      const sentBytes = uploads.peek().get(id)?.sentBytes ?? 0;
      if (!(error instanceof ServiceError)) return note(id, { sentBytes, problem: (error as Error).message, hasEnded: true });
      if (error.kind === "not_found") return forget(id);
      const canShrink = wantsSmallerParts(error) && partBytes > IMPORT_PART_BYTES_MIN;
      if (canShrink) partBytes = IMPORT_PART_BYTES_MIN;
      handleFailure(error);
      note(id, { sentBytes, problem: canShrink || isOutOfStep(error) ? null : error.message });
      if (error.kind === "unauthenticated") await loggedIn();
      else if (!canShrink) await pause(failures);
    }
  }
}
