/** Who counts as a bot: what the `isbot` package says of the User-Agent, and nobody else. This file owns that package. */
import { isbot } from "isbot";
import { USER_AGENT_CHARS_MAX } from "../config/limits.ts";

/**
 * Whether the User-Agent is one of a crawler, a headless browser, a monitor or an HTTP library (`curl/8.5.0`, `node`,
 * `python-requests/2.31`). A server that posts its visitors' events therefore has to pass their User-Agent on, which their
 * visitor ids need in any case, or `filter_bots` has to be off.
 *
 * An empty User-Agent is not a bot's: it names nobody. Senders without one are servers and apps that post on purpose, and
 * crawlers that run the tracker do have one.
 */
export function isBot(userAgent: string): boolean {
  return isbot(userAgent.slice(0, USER_AGENT_CHARS_MAX));
}
