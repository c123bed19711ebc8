/** The compressed size of the tracking script, as docs/tracking.md names it, is that of what the program sends. */
import { expect, it, onTestFinished } from "vitest";
import { createNodeTarget } from "../support/node-target.ts";
import { requestProxy } from "../support/proxy.ts";
import { readPage } from "./pages.ts";

it("docs/tracking.md names the size of the script as the program sends it, by Brotli and by gzip", async () => {
  const target = await createNodeTarget({});
  onTestFinished(() => target.close());
  const kilobytesBy = async (coding: string): Promise<string> => {
    const { bytes } = await requestProxy(Number(new URL(target.origin()).port), "/svc.js", { headers: { "accept-encoding": coding } });
    return (bytes.length / 1000).toFixed(1);
  };
  const [brotli, gzip] = [await kilobytesBy("br"), await kilobytesBy("gzip")];
  expect(readPage("docs/tracking.md").text).toContain(`The script is ${brotli} KB compressed by Brotli and ${gzip} KB by gzip.`);
});
