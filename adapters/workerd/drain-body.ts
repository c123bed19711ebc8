/**
 * Reads and discards the body of a request that was refused before its body was read. The platform closes a connection with an
 * unread body, and the client's next request on it fails.
 */
import { BODY_BYTES_DISCARDED_MAX } from "../../src/runtime/base/config/limits.ts";

/** A slower client gets its response, and its connection is closed. */
const WAIT_MS_MAX = 1000;

export async function drainBody(request: Request): Promise<void> {
  if (request.body !== null && !request.bodyUsed) await drainReader(request.body.getReader());
}

export async function drainReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const deadline = setTimeout(() => void reader.cancel(), WAIT_MS_MAX);
  try {
    for (let left = BODY_BYTES_DISCARDED_MAX; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.length;
    }
  } catch {
    // The client has disconnected.
  } finally {
    clearTimeout(deadline);
  }
}
