/** The installation check while storage fails (docs/http-api.md, "Installation check"). */
import { expect, it, onTestFinished } from "vitest";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { bodyOf } from "../support/auth-requests.ts";
import { createDeferred } from "../support/deferred.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { record, wireEvent } from "../support/requests.ts";

const SITE = "failures.test";

interface Installation {
  readonly has_events: boolean;
  readonly last_event_date: string | null;
}

it.each(["fails", "does not answer"])("GET /api/installation answers without the last date while storage %s", async (how) => {
  const { promise, reject } = createDeferred<never>();
  promise.catch(() => {
    // It may fail before it is asked for.
  });
  const fail = () => reject(new Error("the bucket is away"));
  const stored = createMemoryObjectStore();
  let isAway = false;
  const objects: typeof stored = { ...stored, list: (folder) => (isAway ? promise : stored.list(folder)) };
  const target = await createInProcessTarget({}, { objects });
  onTestFinished(async () => {
    fail();
    await target.close();
  });
  await record(target, wireEvent(SITE));
  await target.flush();
  await target.restart();
  isAway = true;
  if (how === "fails") fail();
  const installation = await bodyOf<Installation>(await target.fetch(`/api/installation?site_id=${SITE}`));
  expect(installation).toMatchObject({ has_events: true, last_event_date: null });
});
