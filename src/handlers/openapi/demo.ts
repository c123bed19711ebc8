/** Describes the demo site (docs/http-api.md, "Demo site"). */
import { DEMO_SITE } from "../../runtime/base/config/names.ts";
import { closed, count, text } from "../../runtime/query/json-schema.ts";
import { jsonContent } from "./json-content.ts";
import type { Operation } from "./operation.ts";

const SITE_ID = text("The demo site.", { const: DEMO_SITE });

export const DEMO_SCHEMAS = {
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

const { answer } = jsonContent<keyof typeof DEMO_SCHEMAS>();

const NAME_IS_TAKEN = `\`${DEMO_SITE}\` has events that were not made up.`;

export const DEMO_OPERATIONS = {
  "POST /api/demo": {
    operationId: "makeDemoSite",
    tag: "Demo",
    summary: "Makes the demo site, or brings it up to date",
    description: "A year of made-up events up to now, the same in every instance. No other site is touched.",
    answers: { 200: answer("The demo site is complete.", "DemoSite") },
    refusals: {
      already_configured: NAME_IS_TAKEN,
      request_timeout: "It took longer than the time limit and continues. Repeat the request to wait for it.",
      unavailable: "Storage could not be read or changed, or the demo site was removed meanwhile. Repeat the request to complete it.",
    },
  },
  "DELETE /api/demo": {
    operationId: "removeDemoSite",
    tag: "Demo",
    summary: "Removes the demo site",
    description: "Deletes its files, rollups and cached results. Succeeds without one.",
    answers: { 200: answer("There is no demo site any more.", "RemovedDemoSite") },
    refusals: {
      already_configured: NAME_IS_TAKEN,
      request_timeout: "It took longer than the time limit and continues. Repeat the request to get its outcome.",
      unavailable: "Storage could not be read or changed. Repeat the request to remove the rest.",
    },
  },
} satisfies Readonly<Record<string, Operation>>;
