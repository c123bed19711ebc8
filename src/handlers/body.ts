/** How much of a request's body is read: never more than the limit, whatever the headers promise. */
import { AppError, invalidInput } from "../runtime/errors.ts";
import { BODY_BYTES_DISCARDED_MAX, BODY_BYTES_MAX } from "../runtime/config/limits.ts";

const wholeBody = new TextDecoder();

const tooLarge = (): AppError => new AppError({ code: "body_too_large" }, `The request body must be at most ${BODY_BYTES_MAX} bytes`);

/** The client left while sending: no one reads this answer, and it must not count as a failure of the service. */
const cutShort = (): never => {
  throw invalidInput("The request body ended before all of it had come");
};

/**
 * Reads on after the answer is clear: many clients read the answer only when they have sent everything, and lose it if they are
 * cut off. Past a limit nothing more is read, and the host's own time limit ends the connection.
 */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let left = BODY_BYTES_DISCARDED_MAX; left > 0;) {
    const { done, value } = await reader.read();
    if (done) return;
    left -= value.length;
  }
  await reader.cancel();
}

async function readCounting(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let byteCount = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(cutShort);
    if (done) return text + decoder.decode();
    byteCount += value.length;
    if (byteCount > BODY_BYTES_MAX) {
      // Not awaited: a client that keeps sending must not delay its answer.
      discardRest(reader).catch(() => {});
      throw tooLarge();
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * The body as text; 413 past 64 KB, 400 for one that breaks off. The host's HTTP parser enforces a Content-Length without a
 * Transfer-Encoding, so such a body is read at once; any other is counted while it arrives.
 */
export async function readBody(request: Request): Promise<string> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > BODY_BYTES_MAX) throw tooLarge();
  if (length !== null && !request.headers.has("transfer-encoding")) {
    // Not `text()`: hosts differ in whether that drops a byte order mark, and its length is not in bytes.
    const bytes = await request.arrayBuffer().catch(cutShort);
    if (bytes.byteLength > BODY_BYTES_MAX) throw tooLarge();
    return wholeBody.decode(bytes);
  }
  return request.body ? readCounting(request.body) : "";
}
