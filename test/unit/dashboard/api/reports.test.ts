/** When the dashboard retries a request for a report, and when it gives up. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ServiceError } from "../../../../dashboard/api/http.ts";
import { fetchFile, fetchReport } from "../../../../dashboard/api/reports.ts";

const { signal } = new AbortController();

/**
 * Stubs fetch: the nth request gets the nth answer, further ones the last. Only requests of the dashboard, which have no origin: those of
 * other suites in this process may still be under way.
 */
function stubAnswers(...answers: readonly (readonly [status: number, headers?: Readonly<Record<string, string>>])[]): {
  readonly requests: number;
} {
  const counts = { requests: 0 };
  const { fetch: fetchFromNetwork } = globalThis;
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit) => {
    if (typeof input !== "string" || !input.startsWith("./")) return fetchFromNetwork(input, init);
    const [status, headers] = answers[Math.min(counts.requests++, answers.length - 1)] ?? [500];
    return new Response(JSON.stringify(status === 200 ? { n: 1 } : { error: "not yet" }), { status, headers: headers ?? {} });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return counts;
}

describe("a report of the dashboard", () => {
  it("a report is requested again after a 408, because it resumes where it timed out", async () => {
    const counts = stubAnswers([408], [408], [408], [408], [200]);
    expect(await fetchReport("/api/stats/main", signal)).toEqual({ n: 1 });
    expect(counts.requests).toBe(5);
  });

  it("a report fails after ten retries of a 408", async () => {
    const counts = stubAnswers([408]);
    const failure: unknown = await fetchReport("/api/stats/main", signal).catch((error: unknown) => error);
    expect([failure instanceof ServiceError && failure.kind, counts.requests]).toEqual(["timeout", 11]);
  });

  it("a report waits for Retry-After when the service is busy", async () => {
    const counts = stubAnswers([429, { "retry-after": "0.001" }], [408], [429, { "retry-after": "0.001" }], [200]);
    expect(await fetchReport("/api/stats/main", signal)).toEqual({ n: 1 });
    expect(counts.requests).toBe(4);
  });

  it.each([[400], [500], [503]])("a report is not requested again after a %i", async (status) => {
    const counts = stubAnswers([status], [200]);
    await expect(fetchReport("/api/stats/main", signal)).rejects.toBeInstanceOf(ServiceError);
    expect(counts.requests).toBe(1);
  });

  it("a report waits for Retry-After of a 503, whether the service or a proxy sent it", async () => {
    const counts = stubAnswers([503, { "retry-after": "0.001" }], [200]);
    expect(await fetchReport("/api/stats/main", signal)).toEqual({ n: 1 });
    expect(counts.requests).toBe(2);
  });

  const REASON = JSON.stringify({ error: "The query engine has too little memory" });
  const HTML = "<html><body>Bad gateway</body></html>";
  it.each([
    [500, {}, REASON, "failed", "The query engine has too little memory"],
    [502, {}, HTML, "unavailable", "Server unavailable (502)."],
    [502, {}, REASON, "unavailable", "Server unavailable (502)."],
    [503, {}, HTML, "unavailable", "Server unavailable (503)."],
    [503, {}, REASON, "unavailable", "Server unavailable (503)."],
    [503, { "retry-after": "0.001" }, REASON, "busy", "The query engine has too little memory"],
    [503, { "retry-after": "0.001" }, HTML, "unavailable", "Server unavailable (503)."],
    [503, { "x-behavioral-extension": "missing" }, REASON, "extension_missing", "The query engine has too little memory"],
    [504, {}, "", "unavailable", "Server unavailable (504)."],
    [522, {}, HTML, "unavailable", "Server unavailable (522)."],
  ] as const)("a report fails after a %i with %o and the body %s as %s", async (status, headers, body, kind, message) => {
    vi.stubGlobal("fetch", async () => new Response(body, { status, headers }));
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const failure = await fetchReport("/api/stats/main", signal).catch((error: unknown) => error as ServiceError);
    expect(failure).toMatchObject({ kind, message, isOutage: kind === "unavailable" });
  });

  it("an exported file is not requested again after a 408, because it would start over", async () => {
    const counts = stubAnswers([408], [200]);
    await expect(fetchFile("/api/stats/export", signal)).rejects.toBeInstanceOf(ServiceError);
    expect(counts.requests).toBe(1);
  });
});
