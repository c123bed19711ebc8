/**
 * A load of events and queries that counts every outcome, and verifies the stored events: each event with a 202 response must be
 * found once; an event without a response may be found or not.
 */
import { Agent, request } from "node:http";

const CONNECTIONS = 16;
const RESPONSE_MS_MAX = 60_000;
const QUERY_PAUSE_MS = 20;

/** Not detected as a bot. */
export const USER_AGENT = "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0";

/** @typedef {{ sent: number, acknowledged: number, withoutResponse: number, refused: number }} SiteCounts */

const QUERIES = [
  "main?period=7d",
  "timeseries?period=day",
  "breakdown/pages?limit=100",
  "realtime?",
  "sessions?period=7d",
  "breakdown/entry-pages?",
];

export class WatchedLoad {
  /** @type {Map<string, SiteCounts>} */
  sites = new Map();
  queries = 0;
  failedQueries = 0;
  /** The sum of replaced sites. @type {SiteCounts} */
  #before = { sent: 0, acknowledged: 0, withoutResponse: 0, refused: 0 };
  #numbered = 0;
  /** @type {Record<string, string>} */
  #credentials = {};
  #origin = "";
  #running = false;
  /** @type {Promise<unknown>} */
  #ended = Promise.resolve();

  /** @param {number} sites how many, of which the first ones have most of the events */
  constructor(sites) {
    this.renew(sites, "site");
  }

  /** Replaces the sites by this many new ones. Must not be called while the load runs. @param {number} sites @param {string} prefix */
  renew(sites, prefix) {
    for (const what of /** @type {const} */ (["sent", "acknowledged", "withoutResponse", "refused"])) this.#before[what] += this.#now(what);
    this.sites.clear();
    for (let i = 0; i < sites; i++) this.sites.set(`${prefix}-${i}.test`, { sent: 0, acknowledged: 0, withoutResponse: 0, refused: 0 });
  }

  /** Sends this API key with all later queries. @param {string} key */
  authenticate(key) {
    this.#credentials = { authorization: `Bearer ${key}` };
  }

  /** The sum of all sites, including replaced ones. @param {keyof SiteCounts} what */
  total(what) {
    return this.#before[what] + this.#now(what);
  }

  /** @param {keyof SiteCounts} what */
  #now(what) {
    return [...this.sites.values()].reduce((sum, counts) => sum + counts[what], 0);
  }

  /** @param {string} origin */
  start(origin) {
    this.#origin = origin;
    this.#running = true;
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const posting = Array.from({ length: CONNECTIONS }, () => this.#postOn(agent));
    this.#ended = Promise.all([...posting, this.#queryOn()]).then(() => agent.destroy());
  }

  /** Resolves when no request is running. */
  async stop() {
    this.#running = false;
    await this.#ended;
  }

  /** @param {Agent} agent */
  async #postOn(agent) {
    const names = [...this.sites.keys()];
    while (this.#running) {
      const number = this.#numbered++;
      const site = names[Math.floor(names.length * ((number * 0.618034) % 1) ** 3)] ?? "";
      const counts = this.sites.get(site);
      if (!counts) throw new Error(`no such site: ${site}`);
      counts.sent++;
      const status = await this.#post(agent, site, number);
      if (status === 202) counts.acknowledged++;
      else if (status === null) counts.withoutResponse++;
      else counts.refused++;
      if (status === null) return;
    }
  }

  /** @param {Agent} agent @param {string} site @param {number} number @returns {Promise<number | null>} */
  #post(agent, site, number) {
    const body = JSON.stringify({
      d: site,
      n: number % 10 === 0 ? "Purchase" : "pageview",
      u: `https://${site}/e/${number % 5000}`,
      w: 1200,
      ra: number % 10 === 0 ? 9.99 : undefined,
      rc: "EUR",
    });
    return new Promise((resolve) => {
      const headers = {
        "content-length": Buffer.byteLength(body),
        "user-agent": USER_AGENT,
        "x-forwarded-for": `198.51.${number % 50}.${number % 200}`,
      };
      const sent = request(`${this.#origin}/api/event`, { agent, method: "POST", timeout: RESPONSE_MS_MAX, headers }, (response) => {
        const status = response.statusCode ?? null;
        response
          .once("close", () => resolve(status))
          .once("error", () => resolve(status))
          .resume();
      });
      sent.once("timeout", () => sent.destroy());
      sent.once("error", () => resolve(null));
      sent.end(body);
    });
  }

  async #queryOn() {
    const names = [...this.sites.keys()];
    while (this.#running) {
      const query = QUERIES[this.queries % QUERIES.length] ?? "";
      const site = names[this.queries % names.length] ?? "";
      try {
        const response = await fetch(`${this.#origin}/api/stats/${query}&site_id=${site}`.replace("?&", "?"), {
          headers: this.#credentials,
        });
        await response.arrayBuffer();
        this.queries++;
        if (response.status !== 200) this.failedQueries++;
      } catch {
        // The server is gone.
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, QUERY_PAUSE_MS));
    }
  }

  /**
   * Compares each site's events of the last week with the counts, and resets the counts to the events found.
   * @param {string} origin
   * @returns {Promise<{ found: number, wrong: string[] }>}
   */
  async compare(origin) {
    let found = 0;
    /** @type {string[]} */
    const wrong = [];
    for (const [site, counts] of this.sites) {
      const response = await fetch(`${origin}/api/stats/main?site_id=${site}&period=7d`, { headers: this.#credentials });
      const { total_events: events } = /** @type {{ total_events: number }} */ (await response.json());
      found += events;
      if (events < counts.acknowledged) wrong.push(`${site}: ${events} found, ${counts.acknowledged} acknowledged`);
      if (events > counts.acknowledged + counts.withoutResponse)
        wrong.push(`${site}: ${events} found, ${counts.acknowledged} acknowledged and ${counts.withoutResponse} without a response`);
      counts.acknowledged = events;
      counts.withoutResponse = 0;
    }
    return { found, wrong };
  }
}
