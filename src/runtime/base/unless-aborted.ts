/** Limits the wait for work that cannot be aborted, such as that of a thread: neither a stop nor a request waits for one that hangs. */

/** The outcome of the work. Rejects with the signal's reason at once when it is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
