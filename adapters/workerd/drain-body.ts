/**
 * What becomes of the body of a request that was refused before it was read. The platform ends the connection when any of it is
 * left, also for the client's next request, so it is taken in and thrown away before the answer.
 */
import { BODY_BYTES_DISCARDED_MAX } from "../../src/runtime/config/limits.ts";

/** A client that sends slower gets its answer, and its connection is ended. */
const WAIT_MS_MAX = 1000;

export async function drainBody(request: Request): Promise<void> {
  if (request.body === null || request.bodyUsed) return;
  const reader = request.body.getReader();
  const deadline = setTimeout(() => void reader.cancel(), WAIT_MS_MAX);
  try {
    for (let left = BODY_BYTES_DISCARDED_MAX; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.length;
    }
  } catch {
    // A client that went away needs no answer.
  } finally {
    clearTimeout(deadline);
  }
}
