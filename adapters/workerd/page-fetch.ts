/**
 * Fetches pages with the platform's `fetch`. Cloudflare resolves names itself and has no way into private networks, so there is no
 * address to check here; addresses in URLs are checked before (`runtime/installation/page-check.ts`).
 */
import { PAGE_BYTES_MAX } from "../../src/runtime/base/config/limits.ts";
import { isRedirect, PageFetchError, type FetchedPage, type PageFetch } from "../../src/runtime/installation/page-fetch.ts";

/**
 * Maximum reads of one body. A read takes 18 µs in workerd, during which neither events nor the timeout get their turn: a megabyte in
 * chunks of one byte would take 18 s. Ordinary pages take less than 1,000 reads.
 */
export const READS_MAX = 10_000;

/** The start of the body; the rest is not read. */
async function startOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  if (!reader) return "";
  let text = "";
  for (let left = PAGE_BYTES_MAX, reads = 0; left > 0 && reads < READS_MAX; reads++) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.length;
  }
  await reader.cancel();
  return text;
}

async function pageFrom(response: Response): Promise<FetchedPage> {
  const { status, headers } = response;
  // workerd returns 101 and 103 like other statuses.
  if (status < 200) throw new Error(`a page has no status ${status}`);
  const page = {
    status,
    location: headers.get("location"),
    contentType: headers.get("content-type") ?? "",
    policy: headers.get("content-security-policy") ?? "",
  };
  if (isRedirect(page)) {
    await response.body?.cancel();
    return { ...page, html: "" };
  }
  return { ...page, html: await startOf(response) };
}

export const createPageFetch =
  (userAgent: string): PageFetch =>
  async (url, timeoutMs) => {
    const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
    try {
      return await pageFrom(await fetch(url, { redirect: "manual", signal, headers: { "User-Agent": userAgent, Accept: "text/html" } }));
    } catch (error) {
      throw new PageFetchError(signal.aborted ? "timeout" : "unreachable", { cause: error });
    }
  };
