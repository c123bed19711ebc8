/**
 * Fetches pages with Node's HTTP client, from public addresses only. The connection goes to the address that was checked, so a changed
 * DNS answer has no effect.
 */
import { lookup } from "node:dns/promises";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { PAGE_BYTES_MAX } from "../../../src/runtime/base/config/limits.ts";
import {
  isRedirect,
  PageFetchError,
  type FetchedPage,
  type FetchFailure,
  type PageFetch,
  ipOf,
  isPublicIp,
} from "../../../src/runtime/installation/page-fetch.ts";

export interface PageFetchOptions {
  readonly userAgent: string;
  /** All addresses of a name. By default the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Decides which addresses may be connected to. Public ones by default. */
  readonly isAllowed?: (address: string) => boolean;
}

/** IPv4 first, because not every server has IPv6. */
const resolveAll = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true, order: "ipv4first" })).map(({ address }) => address);

function failureOf(error: unknown): FetchFailure {
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  if (syscall === "getaddrinfo") return "unresolvable";
  return /CERT|UNABLE_TO_/.test(code) ? "certificate" : "unreachable";
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["br", createBrotliDecompress],
]);

/** The body without compression, which some servers use although the request does not accept it. */
function bodyOf(response: IncomingMessage): Readable {
  const decoder = DECODERS.get(response.headers["content-encoding"]?.toLowerCase() ?? "")?.();
  return decoder ? pipeline(response, decoder, () => {}) : response;
}

/** The start of the body; the rest is not read. */
async function startOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyOf(response) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= PAGE_BYTES_MAX) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, PAGE_BYTES_MAX));
}

async function pageFrom(response: IncomingMessage): Promise<FetchedPage> {
  const { statusCode: status = 0, headers } = response;
  const policy = [headers["content-security-policy"] ?? []].flat().join(",");
  const page = { status, location: headers.location ?? null, contentType: headers["content-type"] ?? "", policy };
  if (isRedirect(page)) {
    response.destroy();
    return { ...page, html: "" };
  }
  return { ...page, html: await startOf(response) };
}

function get(url: URL, address: string, userAgent: string, signal: AbortSignal): Promise<FetchedPage> {
  const isHttps = url.protocol === "https:";
  const options = {
    host: address,
    ...(url.port !== "" && { port: url.port }),
    path: url.pathname + url.search,
    // The certificate must be for the name, not for the address.
    ...(isHttps && isIP(url.hostname) === 0 && { servername: url.hostname.replace(/\.$/, "") }),
    agent: false,
    signal,
    headers: { Host: url.host, "User-Agent": userAgent, Accept: "text/html", "Accept-Encoding": "identity" },
  };
  return new Promise((resolve, reject) => {
    const request = (isHttps ? requestHttps : requestHttp)(options, (response) => {
      pageFrom(response).then(resolve, reject);
    });
    request.on("error", reject);
    // Without this, Node ends the connection without an error, and the promise would never settle.
    request.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("the server changed the protocol"));
    });
    request.end();
  });
}

const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));

export function createPageFetch({ userAgent, resolve = resolveAll, isAllowed = isPublicIp }: PageFetchOptions): PageFetch {
  /** All addresses of the name must be allowed: one that is not may mean that somebody aims at this network. */
  async function checkedAddressOf(url: URL): Promise<string> {
    const literal = ipOf(url);
    const addresses = literal === null ? await resolve(url.hostname) : [literal];
    const [address] = addresses;
    if (address === undefined) throw new PageFetchError("unresolvable");
    if (!addresses.every(isAllowed)) throw new PageFetchError("not_public");
    return address;
  }

  return async (url, timeoutMs) => {
    const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
    const timeout = rejectionOf(signal);
    timeout.catch(() => {});
    try {
      const page = checkedAddressOf(url).then((address) => get(url, address, userAgent, signal));
      return await Promise.race([page, timeout]);
    } catch (error) {
      if (error instanceof PageFetchError) throw error;
      throw new PageFetchError(signal.aborted ? "timeout" : failureOf(error), { cause: error });
    }
  };
}
