/** Code snippets of the docs work unchanged, and are those that the dashboard shows. */
import { transform } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { PLATFORMS } from "../../dashboard/setup/platforms.ts";
import { embedCode } from "../../dashboard/settings/embed.ts";
import { CLOCK_AHEAD_MS } from "../support/fixed-clock.ts";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

interface Snippet {
  recordSignup(visitor: { userAgent: string; address: string }): Promise<void>;
}

it("the documented server-side function records a sign-up with property and revenue for its visitor", async () => {
  const environment = { SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "0" };
  const server = await startServer({ dataFolder: await tempFolder(), environment, clockAheadMs: CLOCK_AHEAD_MS });
  onTestFinished(async () => void (await server.stop()));
  const [block] = codeBlocksOf(readPage("docs/tracking.md")).filter(({ code }) => code.includes("recordSignup"));
  const { code } = await transform((block?.code ?? "").replace("http://127.0.0.1:8000", server.origin), { loader: "ts", format: "esm" });
  const { recordSignup } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Snippet;

  const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  for (const address of ["203.0.113.7", "203.0.113.7", "203.0.113.8"]) await recordSignup({ userAgent, address });

  const answerTo = async (report: string): Promise<unknown> =>
    (await fetch(`${server.origin}/api/stats/${report}site_id=example.com`)).json();
  expect(await answerTo("goals?")).toEqual([expect.objectContaining({ name: "Signup", visitors: 2, events: 3 })]);
  expect(await answerTo("property-values?key=plan&")).toEqual([{ value: "pro", visitors: 2, events: 3 }]);
  expect(await answerTo("revenue?")).toMatchObject({ by_currency: [{ currency: "EUR", total: 89.7, transactions: 3 }] });
});

it("the documented tracking code of every platform is the one that the dashboard shows", () => {
  const documented = codeBlocksOf(readPage("docs/tracking.md")).map(({ code }) => code.trim());
  const shown = PLATFORMS.map(({ code }) => code({ siteId: "example.com", scriptUrl: "https://stats.example.com/svc.js" }));
  expect(shown.filter((code) => !documented.includes(code))).toEqual([]);
});

it("the documented embed code is the one that the dashboard shows", () => {
  const documented = codeBlocksOf(readPage("docs/sharing.md")).filter(({ code }) => code.includes("<iframe"));
  const shown = embedCode("https://stats.example.com/share/TOKEN", "Stats for example.com", "light");
  expect(documented.map(({ code }) => code.trim())).toEqual([shown]);
});
