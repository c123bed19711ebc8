/** A host's program says the version of package.json, which is its one source. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { MakeTarget } from "../support/target.ts";

const MANIFEST = join(import.meta.dirname, "../../package.json");

export const { version: PACKAGE_VERSION } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { readonly version: string };

export function describeVersion(makeTarget: MakeTarget): void {
  it("the version of package.json is in /health/detailed and openapi.json", async () => {
    const target = await makeTarget();
    const [details, document] = await Promise.all(
      ["/health/detailed", "/api/openapi.json"].map(async (path) => (await target.fetch(path)).json()),
    );
    await target.close();
    expect([details, document]).toMatchObject([{ version: PACKAGE_VERSION }, { info: { version: PACKAGE_VERSION } }]);
  });
}
