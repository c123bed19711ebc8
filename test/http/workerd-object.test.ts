/** What only the Durable Object does: flush by alarm, take options from bindings, and say why it cannot start. */
import { afterEach, describe, expect, it } from "vitest";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
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
  it("flushes by an alarm what nobody asks about, what an earlier life left, and what comes after", async () => {
    runtime = await startWorkerd({ script: "worker.js", environment: { SVC_FLUSH_INTERVAL_SECS: "1" } });
    expect((await record()).status).toBe(202);
    await runtime.crash();
    const file = expect.stringMatching(/^events\/site_id=alarm\.test\/date=[\d-]+\/\d+-\d+\.parquet$/) as unknown;
    await expect.poll(() => runtime.bucketKeys(), { timeout: 20_000 }).toEqual([file]);
    expect((await record()).status).toBe(202);
    await expect.poll(() => runtime.bucketKeys(), { timeout: 20_000 }).toEqual([file, file]);
  });

  it("answers 500 while an option is wrong, and its log names the option and no secret", async () => {
    runtime = await startWorkerd({ script: "worker.js", environment: { SVC_FLUSH_EVENT_COUNT: "many", SVC_ADMIN_PASSWORD: "tooshort" } });
    const response = await fetch(`${runtime.origin()}/health`);
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 500, body: { error: "The service cannot start. Its log says why." } });
    await expect.poll(() => runtime.log(), { timeout: 10_000 }).toContain("flush_event_count");
    expect(runtime.log()).toContain("admin_password");
    expect(runtime.log()).not.toContain("tooshort");
  });
});
