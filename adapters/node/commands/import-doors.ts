/** Where the command `import` brings files: into a stopped data folder, or to a running server. */
import { IMPORT_PART_BYTES_MAX, IMPORT_PART_BYTES_MIN } from "../../../src/shared/limits.ts";
import type { SiteId } from "../../../src/storage/event.ts";
import type { ImportState } from "../../../src/runtime/imports/import-record.ts";
import type { Imports } from "../../../src/runtime/imports/imports.ts";
import type { ManifestJson } from "../../../src/runtime/imports/manifest-json.ts";
import { type Reconciliation, reconciliationOf } from "../../../src/runtime/imports/reconciliation.ts";
import { sourceFile } from "../../../src/runtime/imports/files/source-files.ts";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { dayCountOf } from "../../../src/storage/day-sums.ts";
import { type FollowedImport, type LogDoor, RefusedLines } from "./follow-log.ts";
import type { LocalFile } from "./import-files.ts";

export interface AskedImport {
  readonly siteId: SiteId;
  readonly hostname: string | null;
  readonly logFormat: string | null;
}

/** How far an import is. */
export interface ImportNow {
  readonly number: number;
  readonly state: ImportState;
  readonly failure: string | null;
  readonly rows: number;
  readonly events: number;
  /** Days of sums. */
  readonly days: number;
  readonly manifest: ManifestJson | null;
  /** Once it is shown. */
  readonly reconciliation: Reconciliation | null;
}

export interface ImportDoor {
  /** Gives the files. Resolves once they are being read. `onSent` hears of the bytes that were sent. */
  begin(asked: AskedImport, files: readonly LocalFile[], onSent: (bytes: number) => void): Promise<number>;
  now(number: number): Promise<ImportNow>;
  /** Resolves when there may be news. */
  goOn(): Promise<void>;
  confirm(number: number): Promise<void>;
  delete(number: number): Promise<void>;
}

/** The files are read where they are, by this process. */
export function folderDoor(imports: Imports): ImportDoor {
  const { signal } = new AbortController();
  return {
    async begin(asked, files) {
      const sources = files.map(({ name, access }) => sourceFile(name, access));
      return (await imports.beginWith(asked, sources, signal)).number;
    },
    async now(number) {
      const { record, rows, manifest } = await imports.details(number);
      const { state, failure, events, days } = record;
      const reconciliation = manifest && reconciliationOf(manifest, record);
      return { number, state, failure, rows, events, days: dayCountOf(days), manifest, reconciliation };
    },
    async goOn() {
      if (!(await imports.job.run())) throw new Error("the data folder cannot be read or written; the log says why");
    },
    confirm: (number) => imports.confirm(number, signal),
    delete: (number) => imports.delete(number, signal),
  };
}

/** What the server says of an import (docs/http-api.md, "One import"). */
interface ImportJson extends Omit<ImportNow, "number"> {
  readonly followed: { readonly bytes: number; readonly is_full: boolean } | null;
  readonly import_id: number;
  readonly site_id: string;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly received: number }[];
}

const ANSWER_MS_MAX = 120_000;
const ASK_AGAIN_MS = 500;

/** 413 by the server or by a proxy before it. */
const TOO_LARGE = 413;

class UnreachableServer extends Error {}

export class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Statuses of a server that is busy, moves the site or has other lines than expected, or that starts again behind a proxy. */
const PASSING = [408, 409, 429, 502, 503, 504];

export const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableServer || (error instanceof RefusedRequest && PASSING.includes(error.status));

async function reasonIn(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const { error } = (typeof body === "object" && body !== null ? body : {}) as { readonly error?: unknown };
  return typeof error === "string" ? error : `it answered ${response.status}`;
}

const UNFINISHED: readonly ImportState[] = ["receiving", "reading", "ready", "running"];

const isSame = (given: readonly LocalFile[], { files }: ImportJson): boolean =>
  files.length === given.length && files.every(({ name, bytes }, i) => name === given[i]?.name && bytes === given[i].access.size);

type Ask = <T>(method: string, path: string, body?: Uint8Array | string) => Promise<T>;

/** `key`: an API key for administration. */
function asking(address: URL, key: string): Ask {
  const base = address.href.endsWith("/") ? address.href : `${address.href}/`;

  return async <T>(method: string, path: string, body?: Uint8Array | string): Promise<T> => {
    const url = new URL(`api/imports${path}`, base);
    const init = { method, headers: { authorization: `Bearer ${key}` }, ...(body !== undefined && { body: body as BodyInit }) };
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
      if (response.ok) return (await response.json()) as T;
    } catch (error) {
      const reason = reasonOf((error as Error).cause ?? error);
      throw new UnreachableServer(`${url.origin} cannot be reached: ${reason}. Run the command again to go on`, { cause: error });
    }
    throw new RefusedRequest(response.status, `${url.origin} refuses it: ${await reasonIn(response)}`);
  };
}

/** What was sent is wrong, so sending it again cannot help. */
const INVALID = 400;

/** `key`: an API key for administration. */
export function serverLogDoor(address: URL, key: string, { hostname, logFormat }: Omit<AskedImport, "siteId">, name: string): LogDoor {
  const ask = asking(address, key);
  const followed = ({ import_id: number, site_id: site, followed: log }: ImportJson): FollowedImport => {
    if (log === null) throw new Error(`import #${number} of the state file follows no log`);
    return { site, bytes: log.bytes, isFull: log.is_full };
  };
  return {
    async begin(site) {
      const body = JSON.stringify({ site_id: site, hostname, log_format: logFormat, follow: name });
      return (await ask<ImportJson>("POST", "", body)).import_id;
    },
    now: async (number) => followed(await ask("GET", `/${number}`)),
    async send(number, offset, lines) {
      try {
        return followed(await ask("PUT", `/${number}/lines?offset=${offset}`, lines));
      } catch (error) {
        throw error instanceof RefusedRequest && error.status === INVALID ? new RefusedLines(error.message) : error;
      }
    },
  };
}

/** `key`: an API key for administration. */
export function serverDoor(address: URL, key: string): ImportDoor {
  const ask = asking(address, key);

  /** An import of the same files that an earlier run of the command has not completed, or a new one. */
  async function begun({ siteId, hostname, logFormat }: AskedImport, files: readonly LocalFile[]): Promise<ImportJson> {
    for (const { import_id: id, site_id: site, state } of await ask<readonly ImportJson[]>("GET", "")) {
      if (site !== siteId || !UNFINISHED.includes(state)) continue;
      const details = await ask<ImportJson>("GET", `/${id}`);
      if (isSame(files, details)) return details;
    }
    const given = files.map(({ name, access }) => ({ name, bytes: access.size }));
    return ask("POST", "", JSON.stringify({ site_id: siteId, hostname, log_format: logFormat, files: given }));
  }

  return {
    async begin(asked, files, onSent) {
      let now = await begun(asked, files);
      let partBytes = IMPORT_PART_BYTES_MAX;
      while (now.state === "receiving") {
        onSent(now.files.reduce((sum, { received }) => sum + received, 0));
        const next = now.files.findIndex(({ received, bytes }) => received < bytes);
        const [offset, access] = [now.files[next]?.received ?? 0, files[next]?.access];
        if (!access) break;
        const part = await access.read(offset, Math.min(access.size, offset + partBytes));
        try {
          now = await ask("PUT", `/${now.import_id}/files/${next}?offset=${offset}`, part);
        } catch (error) {
          if (!(error instanceof RefusedRequest) || error.status !== TOO_LARGE || partBytes === IMPORT_PART_BYTES_MIN) throw error;
          partBytes = IMPORT_PART_BYTES_MIN;
        }
      }
      return now.import_id;
    },
    async now(number) {
      const { import_id: _, ...details } = await ask<ImportJson>("GET", `/${number}`);
      return { number, ...details };
    },
    goOn: () => new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS)),
    confirm: (number) => ask("POST", `/${number}/confirm`),
    delete: (number) => ask("DELETE", `/${number}`),
  };
}
