/** What clients and the log are told while ClickHouse cannot be reached or refuses: that, and no secret. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLICKHOUSE_CHECK_MS_MAX } from "../../src/runtime/base/config/clickhouse-limits.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { post, wireEvent } from "../support/requests.ts";
import { itInAll } from "../support/tier-cases.ts";

const [USER, PASSWORD, DATABASE] = ["writer_of_events", "s3cret-пароль", "events_of_site"];

/** Nothing listens on the discard port. */
const NOWHERE = "http://127.0.0.1:9";

async function startWith(url: string, parts: InProcessParts = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget(
    {
      ...{ SVC_ENGINE: "clickhouse", SVC_CLICKHOUSE_URL: url, SVC_CLICKHOUSE_DATABASE: DATABASE },
      ...{ SVC_CLICKHOUSE_USER: USER, SVC_CLICKHOUSE_PASSWORD: PASSWORD },
    },
    parts,
  );
  onTestFinished(() => target.close().catch(() => {}));
  return target;
}

/** The URL of a server that refuses every statement. */
async function refusing(code: number, reason: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      response.writeHead(403, { "X-ClickHouse-Exception-Code": String(code) }).end(`Code: ${code}. DB::Exception: ${reason}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The URL of a server that takes requests and answers none. */
async function silent(): Promise<string> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const send = (target: InProcessTarget) => post(target, wireEvent("site.test"));

const REPORTS = [
  "/api/stats/main?site_id=site.test",
  "/api/stats/timeseries?site_id=site.test",
  "/api/stats/export?site_id=site.test&kind=daily",
];

/** The errors of all reports. */
async function errorsOf(target: InProcessTarget): Promise<string[]> {
  const responses = await Promise.all(REPORTS.map((path) => target.fetch(path)));
  const statuses = responses.map(({ status, headers }) => [status, headers.get("retry-after")]);
  expect(statuses).toEqual(REPORTS.map(() => [503, "10"]));
  return Promise.all(responses.map(async (response) => ((await response.json()) as { error: string }).error));
}

function expectNoSecrets(url: string, texts: readonly string[]): void {
  for (const secret of [url, new URL(url).host, USER, PASSWORD, encodeURIComponent(PASSWORD)]) {
    for (const text of texts) expect(text).not.toContain(secret);
  }
}

const logOf = ({ log }: InProcessTarget): string => JSON.stringify(log.lines);

describe("an unreachable ClickHouse", () => {
  it("the service starts without ClickHouse, accepts events and is not ready; reports give the reason", async () => {
    const target = await startWith(NOWHERE);
    expect((await send(target)).status).toBe(202);
    const errors = await errorsOf(target);
    expect(errors).toEqual(REPORTS.map(() => "ClickHouse cannot be reached. Try again later."));
    expect((await target.fetch("/health/ready")).status).toBe(503);
    expect((await send(target)).status).toBe(202);
    expectNoSecrets(NOWHERE, errors);
    expect(logOf(target)).toContain("ClickHouse cannot be reached");
    expect(logOf(target)).not.toContain(PASSWORD);
  });

  it("reports of a site without waiting events give the reason as well", async () => {
    const target = await startWith(NOWHERE);
    expect(await errorsOf(target)).toEqual(REPORTS.map(() => "ClickHouse cannot be reached. Try again later."));
  });

  // It waits for the ten seconds that the product waits.
  itInAll("the service starts within seconds where connections are accepted and never answered", async () => {
    const url = await silent();
    const beganMs = performance.now();
    const target = await startWith(url);
    expect(performance.now() - beganMs).toBeLessThan(2 * CLICKHOUSE_CHECK_MS_MAX);
    expect((await send(target)).status).toBe(202);
  });

  it("events are accepted without ClickHouse until the journal reaches its byte limit, then refused", async () => {
    const target = await startWith(NOWHERE, { unflushedBytesMax: 2_000 });
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      statuses.push((await send(target)).status);
      await target.services.flush.settled();
    }
    expect(statuses[0]).toBe(202);
    expect(statuses.at(-1)).toBe(503);
    expect(statuses).toEqual([...statuses].sort());
  });
});

describe("a ClickHouse that refuses statements", () => {
  it("a wrong password is named in the log and in reports, without user and password", async () => {
    const url = await refusing(516, `${USER}: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)`);
    const target = await startWith(url);
    expect((await send(target)).status).toBe(202);
    const errors = await errorsOf(target);
    expect(errors).toEqual(REPORTS.map(() => "ClickHouse refuses the configured user or password."));
    expectNoSecrets(url, errors);
    expect(logOf(target)).toContain("clickhouse_user or clickhouse_password is wrong");
    expect(logOf(target)).not.toContain(PASSWORD);
  });

  it("a missing right is named in the log", async () => {
    const url = await refusing(497, `${USER}: Not enough privileges. It's necessary to have the grant CREATE TABLE. (ACCESS_DENIED)`);
    const target = await startWith(url);
    await send(target);
    expect(await errorsOf(target)).toEqual(REPORTS.map(() => "ClickHouse denies the configured user a right that is needed."));
    expect(logOf(target)).toContain("clickhouse_user lacks a right");
    expect(logOf(target)).toContain("grant CREATE TABLE");
  });
});
