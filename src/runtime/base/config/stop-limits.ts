/** How long a stop of a process takes, and how its phases share that time. Each is counted from the signal. */

/** A stop ends within this time, whatever clients do: Docker kills a container after ten seconds. */
export const STOP_MS_MAX = 5_000;

/** How long it waits for requests that are still being sent. */
export const STOP_UNSENT_MS = 1_000;

/** How long it waits for the responses to the other requests. */
export const STOP_RESPONSES_MS = 3_000;

/** How long it flushes. The remaining events stay in the journal. */
export const STOP_FLUSH_MS = 3_800;

/** How long it waits for files that are being written. The rest of the time is for the end of the process. */
export const STOP_WRITES_MS = 4_300;
