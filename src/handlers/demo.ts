/** POST and DELETE /api/demo: the demo site (docs/http-api.md, "Demo site"). */
import { DEMO_SITE } from "../runtime/base/config/names.ts";
import { AppError, storageUnavailable } from "../runtime/base/errors.ts";
import type { Handler } from "./context.ts";
import { jsonReply } from "./reply.ts";

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
