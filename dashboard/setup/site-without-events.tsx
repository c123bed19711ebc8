/** In place of the stats of a site without events: the wait for its first one, and its tracking code. */
import type { Installation } from "../api/types.ts";
import { Snippet } from "./tracking-code.tsx";
import { Waiting } from "./waiting.tsx";

export interface SiteWithoutEventsProps {
  readonly siteId: string;
  /** Of a site that is known to have no events. */
  readonly installation?: Installation;
}

export const SiteWithoutEvents = ({ siteId, installation }: SiteWithoutEventsProps) => (
  <section class="panel" aria-label="First event">
    <Waiting siteId={siteId} before={installation ?? null} />
    <Snippet siteId={siteId} />
  </section>
);
