/** The events of a site whose answers are compared with the OpenAPI document. */
import { record, wireEvent } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import { FIREFOX_LINUX } from "../support/user-agents.ts";

/** Enough that no list of figures stays empty and rates are no whole numbers. */
export async function recordEvents(target: Target, siteId: string): Promise<void> {
  await record(target, wireEvent(siteId, { u: "https://page.test/?utm_source=letter", r: "https://example.org/", w: 1280 }));
  await record(target, wireEvent(siteId, { u: "https://page.test/next" }));
  await record(target, wireEvent(siteId, { n: "signup", p: '{"plan":"pro"}' }), { "user-agent": FIREFOX_LINUX });
  await record(target, wireEvent(siteId, { n: "purchase", ra: 19.99, rc: "EUR" }));
}
