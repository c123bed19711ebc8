/** Setting the wall clock in either direction changes no duration. */
import { describe, expect, it, onTestFinished } from "vitest";
import { CLOSED, getStatus, logIn, postLogin } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectError, getMain, post, postChunks, record, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";

const SITE = "clock.test";
const HOUR_MS = 3_600_000;

/** Back by two hours, then to an hour ahead of where it was: all within the day that began before them. */
const SETTINGS = [-2 * HOUR_MS, 3 * HOUR_MS];

async function targetWith(environment: Environment = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment);
  onTestFinished(() => target.close());
  return target;
}

async function afterEachSetting(target: InProcessTarget, look: () => Promise<void>): Promise<void> {
  for (const ms of SETTINGS) {
    target.setClockAhead(ms);
    await target.advance(0);
    await look();
  }
}

describe("a change of the wall clock", () => {
  it("ends no request early or late", async () => {
    const target = await targetWith();
    let isAnswered = false;
    const answer = target.fetch("/api/event", { method: "POST", body: new ReadableStream(), duplex: "half" });
    void answer.then(() => (isAnswered = true));
    await afterEachSetting(target, async () => expect(isAnswered).toBe(false));
    await target.advance(29_999);
    expect(isAnswered).toBe(false);
    await target.advance(1);
    await expectError(await answer, 408, "The request exceeded the limit of 30 seconds");
  });

  it("ends no session early or late", async () => {
    const target = await targetWith({ ...CLOSED, SVC_SESSION_TTL_SECS: "600" });
    const session = await logIn(target);
    const isLoggedIn = async () => (await getStatus(target, session)).authenticated;
    await afterEachSetting(target, async () => expect(await isLoggedIn()).toBe(true));
    await target.advance(599_999);
    expect(await isLoggedIn()).toBe(true);
    await target.advance(1);
    expect(await isLoggedIn()).toBe(false);
  });

  it("ends no lockout early or late", async () => {
    const target = await targetWith({ ...CLOSED, SVC_LOGIN_LOCKOUT_SECS: "100", SVC_MAX_LOGIN_ATTEMPTS: "1" });
    await expectError(await postLogin(target, "a wrong password"), 401);
    await afterEachSetting(target, async () => {
      const response = await postLogin(target);
      expect(response.headers.get("retry-after")).toBe("100");
      await expectError(response, 429);
    });
    await target.advance(100_000);
    await logIn(target);
  });

  it("changes no rate limit", async () => {
    const target = await targetWith({ SVC_RATE_LIMIT_PER_SITE: "1" });
    await record(target, wireEvent(SITE));
    await afterEachSetting(target, async () => expectError(await post(target, wireEvent(SITE)), 429));
    await target.advance(999);
    await expectError(await post(target, wireEvent(SITE)), 429);
    await target.advance(1);
    await record(target, wireEvent(SITE));
  });

  it("expires no cached result early or late", async () => {
    const target = await targetWith({ SVC_CACHE_TTL_SECS: "60" });
    const events = async () => (await getMain(target, SITE, { period: "7d" })).total_events;
    await record(target, wireEvent(SITE));
    expect(await events()).toBe(1);
    await record(target, wireEvent(SITE));
    await afterEachSetting(target, async () => expect(await events()).toBe(1));
    await target.advance(59_999);
    expect(await events()).toBe(1);
    await target.advance(1);
    expect(await events()).toBe(2);
  });

  it("does not affect measured request durations", async () => {
    const target = await targetWith();
    const chunks = [new TextEncoder().encode(JSON.stringify(wireEvent(SITE)))];
    for (const ms of SETTINGS) {
      const answer = postChunks(target, chunks);
      target.setClockAhead(ms);
      await answer;
    }
    const { durationSamples } = target.services.requests;
    const sums = durationSamples.filter(({ suffix, labels }) => suffix === "_sum" && labels?.route === "/api/event");
    expect(sums.map(({ value }) => value)).toEqual([0]);
  });
});
