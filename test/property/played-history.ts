/** Sends a history to a new service, which then answers requests. */
import { expect } from "vitest";
import type { InProcessTarget, MakeInProcessTarget } from "../support/in-process-target.ts";
import type { Environment } from "../support/target.ts";
import type { History } from "./histories.ts";
import type { Events } from "./model.ts";

export interface PlayedHistory {
  readonly target: InProcessTarget;
  readonly history: History;
  readonly events: Events;
  /** The whole body of the endpoint's answer must be this. */
  expectAnswer(endpoint: string, parameters: Readonly<Record<string, string>>, body: unknown): Promise<void>;
  close(): Promise<void>;
}

async function expectBody(target: InProcessTarget, endpoint: string, parameters: Readonly<Record<string, string>>, body: unknown) {
  const path = `/api/stats/${endpoint}?${new URLSearchParams(parameters).toString()}`;
  const response = await target.fetch(path);
  const text = await response.text();
  expect({ path, status: response.status, body: JSON.parse(text) as unknown }).toEqual({ path, status: 200, body });
}

/** Makes days resident, so that later events are added to resident days. */
async function ask(target: InProcessTarget, siteIds: ReadonlySet<string>): Promise<void> {
  for (const siteId of siteIds) {
    const response = await target.fetch(`/api/stats/main?${new URLSearchParams({ site_id: siteId, period: "12mo" }).toString()}`);
    expect(response.status, await response.text()).toBe(200);
  }
}

/** Called after each step of a history, with the events so far. */
type AfterStep = (played: Pick<PlayedHistory, "events" | "expectAnswer">) => Promise<void>;

/** The events go straight to the journal, because the wire knows no time but now. */
export async function playHistory(
  makeTarget: MakeInProcessTarget,
  history: History,
  environment: Environment = {},
  afterStep?: AfterStep,
): Promise<PlayedHistory> {
  const target = await makeTarget({
    ...environment,
    SVC_SESSION_WINDOW_MINUTES: String(history.sessionWindowMinutes),
    SVC_REALTIME_WINDOW_MINUTES: String(history.realtimeWindowMinutes),
  });
  await target.advance(history.nowMs - target.nowMs());
  const expectAnswer: PlayedHistory["expectAnswer"] = (endpoint, parameters, body) => expectBody(target, endpoint, parameters, body);
  for (const [i, { events, afterwards }] of history.steps.entries()) {
    await Promise.all(events.map((event) => target.services.eventStore.append(event)));
    if (afterwards.startsWith("ask")) await ask(target, new Set(events.map(({ siteId }) => siteId)));
    if (afterwards.endsWith("flush")) await target.flush();
    await afterStep?.({ events: history.steps.slice(0, i + 1).flatMap((step) => step.events), expectAnswer });
  }
  return {
    target,
    history,
    events: history.steps.flatMap(({ events }) => events),
    expectAnswer,
    close: () => target.close(),
  };
}
