/** POST and DELETE /api/demo: the demo site (docs/http-api.md, "Demo site"). */
import { DEMO_SITE } from "../runtime/base/config/names.ts";
import { AppError, storageUnavailable } from "../runtime/base/errors.ts";
import { closed, count, text } from "../runtime/base/json-schema.ts";
import { answer, type Operations } from "./openapi/operation.ts";
import { jsonReply } from "./http.ts";
import type { Handler } from "./route.ts";

/** A request that failed because of storage: some days may be made or removed, and others not. */
function failed(what: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof AppError) throw error;
    throw storageUnavailable(`The demo site could not be ${what} completely, because storage could not be read or changed.`, error);
  };
}

export const postDemo: Handler = async (_request, { services: { demoSite, log } }) => {
  const events = await demoSite.make().catch(failed("made"));
  log.info("the demo site is up to date", { site: DEMO_SITE, events });
  return jsonReply({ status: "ready", site_id: DEMO_SITE, events_added: events });
};

export const deleteDemo: Handler = async (_request, { services: { demoSite, log } }) => {
  const { events } = await demoSite.remove().catch(failed("removed"));
  log.info("the demo site was removed", { site: DEMO_SITE, events });
  return jsonReply({ status: "removed", site_id: DEMO_SITE, events_removed: events });
};

// Description in the OpenAPI document

const SITE_ID = text("The demo site.", { const: DEMO_SITE });

const SCHEMAS = {
  DemoSite: closed({
    status: text("Constant.", { const: "ready" }),
    site_id: SITE_ID,
    events_added: count("Events that it lacked."),
  }),
  RemovedDemoSite: closed({
    status: text("Constant.", { const: "removed" }),
    site_id: SITE_ID,
    events_removed: count("Events that it had."),
  }),
};

const NAME_IS_TAKEN = `\`${DEMO_SITE}\` has events that were not made up.`;

const OPERATIONS = {
  "POST /api/demo": {
    operationId: "makeDemoSite",
    summary: "Makes the demo site, or completes it",
    description: "A year of made-up events up to now, the same in every instance, which goes on. No other site is touched.",
    answers: { 200: answer("The demo site is complete.", "DemoSite") },
    refusals: {
      already_configured: NAME_IS_TAKEN,
      request_timeout: "It took longer than the time limit and continues. Repeat the request to wait for it.",
      unavailable: "Storage could not be read or changed, or the demo site was removed meanwhile. Repeat the request to complete it.",
    },
  },
  "DELETE /api/demo": {
    operationId: "removeDemoSite",
    summary: "Removes the demo site",
    description: "Deletes its files, rollups and cached results. Succeeds without one.",
    answers: { 200: answer("There is no demo site any more.", "RemovedDemoSite") },
    refusals: {
      already_configured: NAME_IS_TAKEN,
      request_timeout: "It took longer than the time limit and continues. Repeat the request to get its outcome.",
      unavailable: "Storage could not be read or changed. Repeat the request to remove the rest.",
    },
  },
} satisfies Operations;

export const DEMO_API = { tag: "Demo", schemas: SCHEMAS, operations: OPERATIONS } as const;
