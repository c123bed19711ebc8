/** How patient the dashboard is with a service that has no answer yet. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ServiceError, askFigure, askFile } from "../../../../dashboard/api/service.ts";

const { signal } = new AbortController();

/** What the service answers, one request after the other. */
function answering(...answers: readonly (readonly [status: number, headers?: Readonly<Record<string, string>>])[]): {
  readonly asked: number;
} {
  const counts = { asked: 0 };
  vi.stubGlobal("fetch", async () => {
    const [status, headers] = answers[Math.min(counts.asked++, answers.length - 1)] ?? [500];
    return new Response(JSON.stringify(status === 200 ? { n: 1 } : { error: "not yet" }), { status, headers: headers ?? {} });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return counts;
}

describe("a figure of the dashboard", () => {
  it("is asked again when there was not time enough, for it goes on where it was", async () => {
    const counts = answering([408], [408], [408], [408], [200]);
    expect(await askFigure("/api/stats/main", signal)).toEqual({ n: 1 });
    expect(counts.asked).toBe(5);
  });

  it("is given up after some minutes of that", async () => {
    const counts = answering([408]);
    const failure: unknown = await askFigure("/api/stats/main", signal).catch((error: unknown) => error);
    expect([failure instanceof ServiceError && failure.kind, counts.asked]).toEqual(["unfinished", 11]);
  });

  it("waits as long as it is told where there was no free slot", async () => {
    const counts = answering([429, { "retry-after": "0.001" }], [408], [429, { "retry-after": "0.001" }], [200]);
    expect(await askFigure("/api/stats/main", signal)).toEqual({ n: 1 });
    expect(counts.asked).toBe(4);
  });

  it.each([[400], [500], [503]])("is not asked again after a %i", async (status) => {
    const counts = answering([status], [200]);
    await expect(askFigure("/api/stats/main", signal)).rejects.toBeInstanceOf(ServiceError);
    expect(counts.asked).toBe(1);
  });

  it("that is a file is not asked again when there was not time enough, for it begins anew", async () => {
    const counts = answering([408], [200]);
    await expect(askFile("/api/stats/export", signal)).rejects.toBeInstanceOf(ServiceError);
    expect(counts.asked).toBe(1);
  });
});
