/** How much of a request's body is read: never more than the limit, whatever the headers promise. */
import { AppError, invalidInput } from "../runtime/errors.ts";
import { BODY_BYTES_DISCARDED_MAX, BODY_BYTES_MAX } from "../runtime/config/limits.ts";

const wholeBody = new TextDecoder();

const tooLarge = (): AppError => new AppError({ code: "body_too_large" }, `The request body must be at most ${BODY_BYTES_MAX} bytes`);

/** For whoever went away in the midst of sending: nobody hears of it, and it is no fault of the service's. */
const cutShort = (): never => {
  throw invalidInput("The request body ended before all of it had come");
};

/**
 * Reads on after the answer is clear: many a client listens only when it has sent all, and hears nothing if it is cut off.
 * Past a limit no more is taken in, and the host's own time limit ends the connection.
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
      // Not waited for: a client that goes on sending must not hold up its answer.
      discardRest(reader).catch(() => {});
      throw tooLarge();
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * The body as text; 413 past 64 KB, 400 for one that breaks off. A length announced without a transfer encoding is what the host's
 * HTTP parser holds the client to, so such a body is read in one go; any other is counted as it comes.
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
