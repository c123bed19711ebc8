/** /health/ready: how often it queries the engine, and how it handles a hanging check (docs/http-api.md, "Health"). */
import { describe, expect, it, onTestFinished } from "vitest";
import { READINESS_CHECK_MS_MAX } from "../../src/runtime/base/config/limits.ts";
import { createControlledEngine, type ControlledEngine } from "../support/controlled-engine.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { expectAccepted, expectError, post, wireEvent } from "../support/requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";

const SITE = "ready.test";

const sendEvent = async (target: InProcessTarget): Promise<void> => expectAccepted(await post(target, wireEvent(SITE)));

/** Without events, it would not be checked. */
async function createTarget(): Promise<{ target: InProcessTarget; controlled: ControlledEngine }> {
  const controlled = await createControlledEngine();
  const target = await createInProcessTarget({}, { engine: controlled.engine });
  await sendEvent(target);
  onTestFinished(async () => {
    controlled.release();
    await target.close();
  });
  return { target, controlled };
}

const ask = async (target: InProcessTarget): Promise<string> => (await target.fetch("/health/ready")).text();

describe("/health/ready", () => {
  it("queries the engine at most once a second, however many callers there are", async () => {
    const { target, controlled } = await createTarget();
    for (let i = 0; i < 20; i++) expect(await ask(target)).toBe("ready");
    await target.advance(999);
    expect(await ask(target)).toBe("ready");
    expect(controlled.queryCount).toBe(1);
    await target.advance(1);
    expect(await ask(target)).toBe("ready");
    expect(controlled.queryCount).toBe(2);
  });

  it("starts no engine before there are events or a report needs it", async () => {
    let started = 0;
    const openDatabase = () => (started++, createEngineShare());
    const target = await createInProcessTarget({}, { openDatabase });
    onTestFinished(() => target.close());
    expect(await ask(target)).toBe("ready");
    expect(started).toBe(0);
    await sendEvent(target);
    await target.advance(1_000);
    expect(await ask(target)).toBe("ready");
    expect(started).toBe(1);
  });

  it("is not ready once a report could not start the engine, even without events", async () => {
    const target = await createInProcessTarget({}, { openDatabase: () => Promise.reject(new Error("told not to start")) });
    onTestFinished(() => target.close());
    expect(await ask(target)).toBe("ready");
    await expectError(await target.fetch(`/api/stats/sessions?site_id=${SITE}`), 503);
    await target.advance(1_000);
    expect(await ask(target)).toBe("database not ready");
  });

  it("shares one query among concurrent callers, even if it takes longer than a second", async () => {
    const { target, controlled } = await createTarget();
    controlled.hold();
    const answers = [ask(target), ask(target)];
    await controlled.held(1);
    await target.advance(5_000);
    answers.push(ask(target));
    controlled.release();
    expect(await Promise.all(answers)).toEqual(["ready", "ready", "ready"]);
    expect(controlled.queryCount).toBe(1);
  });

  it("does not abort the check for others when one caller times out", async () => {
    const { target, controlled } = await createTarget();
    controlled.hold();
    const first = ask(target);
    await controlled.held(1);
    await target.advance(target.services.config.requestTimeoutSecs * 1000 - 1);
    const second = ask(target);
    await target.advance(1);
    expect(await first).toContain("exceeded the limit");
    controlled.release();
    expect(await second).toBe("ready");
    expect(controlled.queryCount).toBe(1);
  });

  it("returns a failed check for the rest of the second", async () => {
    const share = await createEngineShare();
    let asked = 0;
    const query = () => (asked++, Promise.reject(new Error("told to fail")));
    const target = await createInProcessTarget({}, { engine: { ...share, query, queryColumns: query } });
    await sendEvent(target);
    onTestFinished(() => target.close());
    for (let i = 0; i < 3; i++) expect((await target.fetch("/health/ready")).status).toBe(503);
    expect(asked).toBe(1);
    await target.advance(1_000);
    expect((await target.fetch("/health/ready")).status).toBe(503);
    expect(asked).toBe(2);
  });

  it("replaces a hanging check with a new one, independent of the wall clock", async () => {
    const { target, controlled } = await createTarget();
    controlled.hold();
    const hanging = ask(target);
    await controlled.held(1);
    await target.advance(READINESS_CHECK_MS_MAX);
    expect(await hanging).toContain("exceeded the limit");
    controlled.release();
    expect(await ask(target)).toBe("ready");
    for (const ms of [-3_600_000, 7_200_000]) {
      target.setClockAhead(ms);
      expect(await ask(target)).toBe("ready");
    }
    expect(controlled.queryCount).toBe(2);
  });
});
