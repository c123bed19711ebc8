/** The page fetch of each host. Workerd's uses the web's `fetch` alone, which Node has, too: in workerd itself, see `workerd-ports.test.ts`. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createPageFetch } from "../../adapters/node/http/page-fetch.ts";
import { createPageFetch as createWorkerdPageFetch } from "../../adapters/workerd/page-fetch.ts";
import { installationCheckAgent } from "../../src/runtime/base/config/names.ts";
import { skippedFor } from "../support/skipped.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describePageFetch } from "./page-fetch.suite.ts";

const userAgent = installationCheckAgent("1");

describePageFetch("Node", createPageFetch({ userAgent, isAllowed: () => true }));
describePageFetch("workerd", createWorkerdPageFetch(userAgent));

it("page fetch: Node resolves localhost with the system's resolver and refuses it", async () => {
  const fetchPage = createPageFetch({ userAgent });
  await expect(fetchPage(new URL("http://localhost:9/"), 5_000)).rejects.toMatchObject({ failure: "not_public" });
  await expect(fetchPage(new URL("http://127.0.0.1:9/"), 5_000)).rejects.toMatchObject({ failure: "not_public" });
  await expect(fetchPage(new URL("http://[::1]:9/"), 5_000)).rejects.toMatchObject({ failure: "not_public" });
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

it(
  "page fetch: Node reports that a certificate is not valid",
  skippedFor(hasOpenssl ? undefined : "There is no openssl here."),
  async () => {
    const folder = await tempFolder();
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const forShop = ["-subj", "/CN=shop.example", "-days", "1", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
    execFileSync("openssl", ["req", "-x509", ...forShop, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const fetchPage = createPageFetch({ userAgent, resolve: () => Promise.resolve(["127.0.0.1"]), isAllowed: () => true });
    const { port } = server.address() as AddressInfo;
    await expect(fetchPage(new URL(`https://shop.example:${port}/`), 5_000)).rejects.toMatchObject({ failure: "certificate" });
  },
);

it("page fetch: Node gives up on a resolver that does not answer", async () => {
  const fetchPage = createPageFetch({ userAgent, resolve: () => new Promise(() => {}) });
  await expect(fetchPage(new URL("http://shop.example/"), 50)).rejects.toMatchObject({ failure: "timeout" });
});
