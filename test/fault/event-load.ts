/** A load of events from many connections, and a record of the response to each event. */
import { Agent, request } from "node:http";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

export interface LoadEvent {
  readonly siteId: string;
  /** No other event has it. */
  readonly pathname: string;
}

const CONNECTIONS = 16;

/** The server is gone after this, or a test fails for it. */
const ANSWER_MS_MAX = 60_000;

/** Posts one event; its status, or null when no answer came. */
function post(origin: string, agent: Agent, { siteId, pathname }: LoadEvent): Promise<number | null> {
  const body = JSON.stringify({ d: siteId, n: "pageview", u: `https://${siteId}${pathname}` });
  return new Promise((resolve) => {
    const sent = request(
      `${origin}/api/event`,
      {
        agent,
        method: "POST",
        timeout: ANSWER_MS_MAX,
        headers: { "content-type": "text/plain", "content-length": Buffer.byteLength(body), "user-agent": CHROME_WINDOWS },
      },
      (response) => {
        const status = response.statusCode ?? null;
        // The status is the promise: a connection that breaks after it changes nothing.
        response
          .once("close", () => resolve(status))
          .once("error", () => resolve(status))
          .resume();
      },
    );
    sent.once("timeout", () => sent.destroy());
    sent.once("error", () => resolve(null));
    sent.end(body);
  });
}

/** The events of one test, over all lives of the server. */
export class EventLoad {
  /** Answered with 202: each must be there exactly once, from then on. */
  readonly acknowledged: LoadEvent[] = [];
  /** Sent, and the answer never came: each may be there once. */
  readonly unanswered: LoadEvent[] = [];
  /** Statuses other than 202. */
  readonly refusals: number[] = [];
  readonly #eventOf: (count: number) => LoadEvent;
  readonly #awaited: { readonly count: number; readonly resolve: () => void }[] = [];
  #count = 0;

  /** `eventOf` makes the event of a number, which counts from 0. */
  constructor(eventOf: (count: number) => LoadEvent) {
    this.#eventOf = eventOf;
  }

  #acknowledge(event: LoadEvent): void {
    this.acknowledged.push(event);
    while (this.#awaited[0] && this.#awaited[0].count <= this.acknowledged.length) this.#awaited.shift()?.resolve();
  }

  /** Resolves when so many more events are acknowledged. One waits at a time. */
  acknowledgedMore(events: number): Promise<void> {
    if (events === 0) return Promise.resolve();
    return new Promise((resolve) => this.#awaited.push({ count: this.acknowledged.length + events, resolve }));
  }

  /** Posts, on each connection until an event is not acknowledged or `stop` is called; `ended` resolves when nothing is under way. */
  start(origin: string): { readonly ended: Promise<void>; stop(): void } {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const end = new AbortController();
    const postOn = async () => {
      while (!end.signal.aborted) {
        const event = this.#eventOf(this.#count++);
        const status = await post(origin, agent, event);
        if (status === 202) {
          this.#acknowledge(event);
          continue;
        }
        if (status === null) this.unanswered.push(event);
        else this.refusals.push(status);
        return;
      }
    };
    const ended = Promise.all(Array.from({ length: CONNECTIONS }, postOn)).then(() => agent.destroy());
    return { ended, stop: () => end.abort() };
  }
}
