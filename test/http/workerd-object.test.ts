/** The Durable Object only: flush by alarm, options from bindings, and startup errors. */
import { afterEach, describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/storage/event.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { CONTROL_HEADER, TEST_CLASSES, type Control, type ControlCall } from "../support/workerd/control.ts";
import { startWorkerd, type WorkerdRuntime } from "../support/workerd/runtime.ts";

let runtime: WorkerdRuntime;
afterEach(() => runtime.close());

const record = (): Promise<Response> =>
  fetch(`${runtime.origin()}/api/event`, {
    method: "POST",
    headers: { "user-agent": CHROME_WINDOWS },
    body: JSON.stringify({ d: "alarm.test", n: "pageview", u: "https://alarm.test/" }),
  });

describe("the Durable Object", () => {
  it("flushes by alarm events that were buffered before it started, and later ones, without any query", async () => {
    runtime = await startWorkerd({ script: "worker.js", environment: { SVC_FLUSH_INTERVAL_SECS: "1" } });
    expect((await record()).status).toBe(202);
    await runtime.crash();
    const file = expect.stringMatching(/^events\/site_id=alarm\.test\/date=[\d-]+\/\d+-\d+\.parquet$/) as unknown;
    await expect.poll(() => runtime.bucketKeys()).toEqual([file]);
    expect((await record()).status).toBe(202);
    await expect.poll(() => runtime.bucketKeys()).toEqual([file, file]);
  });

  it("responds with 500 while an option is invalid, and its log names the option and no secret", async () => {
    runtime = await startWorkerd({ script: "worker.js", environment: { SVC_FLUSH_EVENT_COUNT: "many", SVC_ADMIN_PASSWORD: "tooshort" } });
    const response = await fetch(`${runtime.origin()}/health`);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 500,
      body: { error: "The service cannot start. Its log says why." },
    });
    const event = await fetch(`${runtime.origin()}/api/event`, { method: "POST", headers: { origin: "https://page.test" }, body: "{}" });
    const allowed = ["access-control-allow-origin", "access-control-allow-credentials"].map((name) => event.headers.get(name));
    expect([event.status, ...allowed]).toEqual([500, "https://page.test", "true"]);
    await event.text();
    await expect.poll(() => ["flush_event_count", "admin_password"].filter((option) => !runtime.log().includes(option))).toEqual([]);
    expect(runtime.log()).not.toContain("tooshort");
  });

  it("refuses events and passwords with the reason while its database fails, and recovers afterwards", async () => {
    runtime = await startWorkerd({ script: "test-worker.js", classNames: TEST_CLASSES });
    const send = async (path: string, body?: object, call?: ControlCall): Promise<Response> => {
      const control: Control = {
        object: "broken",
        tenant: "broken",
        environment: { SVC_CACHE_TTL_SECS: "0" },
        nowMs: Date.now(),
        ...(call && { call }),
      };
      const headers = { [CONTROL_HEADER]: JSON.stringify(control), "user-agent": CHROME_WINDOWS, "CF-Connecting-IP": "127.0.0.1" };
      return fetch(new URL(path, runtime.origin()), { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) });
    };
    const post = () => send("/api/event", { d: "broken.test", n: "pageview", u: "/" });
    const totalOf = async () =>
      ((await (await send("/api/stats/main?site_id=broken.test")).json()) as { total_events: number }).total_events;
    expect((await post()).status).toBe(202);
    expect(await (await send("/", undefined, "breakStorage")).text()).toBe("done");
    const refused = await post();
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
      503,
      "10",
      { error: "The service cannot store events at the moment. Try again later." },
    ]);
    const setup = await send("/api/auth/setup", { password: "a long password" });
    expect([setup.status, await setup.json()]).toEqual([
      500,
      { error: "The password could not be stored and is not set. The server's log says why." },
    ]);
    expect(await totalOf()).toBe(1);
    expect(await (await send("/", undefined, "mendStorage")).text()).toBe("done");
    expect((await post()).status).toBe(202);
    expect(await totalOf()).toBe(2);
  });

  it("keeps visitor ids within a salt period when workerd is killed, and refuses events of the next one until its secret is committed", async () => {
    runtime = await startWorkerd({ script: "test-worker.js", classNames: TEST_CLASSES });
    let nowMs = Date.parse("2026-03-15T12:00:00Z");
    const send = async (path: string, body?: object, call?: ControlCall): Promise<Response> => {
      const control: Control = {
        object: "salted",
        tenant: "salted",
        environment: { SVC_CACHE_TTL_SECS: "0" },
        nowMs,
        ...(call && { call }),
      };
      const headers = { [CONTROL_HEADER]: JSON.stringify(control), "user-agent": CHROME_WINDOWS, "CF-Connecting-IP": "127.0.0.1" };
      return fetch(new URL(path, runtime.origin()), { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) });
    };
    const post = async () => (await send("/api/event", { d: "salted.test", n: "pageview", u: "/" })).status;
    const visitors = async () =>
      ((await (await send("/api/stats/main?site_id=salted.test&period=7d")).json()) as { unique_visitors: number }).unique_visitors;
    expect(await post()).toBe(202);
    await runtime.crash();
    expect(await post()).toBe(202);
    expect(await visitors()).toBe(1);
    nowMs += DAY_MS / 2;
    expect(await (await send("/", undefined, "breakStorage")).text()).toBe("done");
    expect(await post()).toBe(503);
    expect(await (await send("/", undefined, "mendStorage")).text()).toBe("done");
    expect(await post()).toBe(202);
    await runtime.crash();
    expect(await post()).toBe(202);
    expect(await visitors()).toBe(2);
  });
});
