/** The notice beside the built program names every package in it; comments in the bundles and the code of the builds are the evidence. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { BundledLicenses } from "../../../adapters/licenses.mjs";
import { BUILT_FOLDER } from "../../support/built.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const BUILT = join(ROOT, BUILT_FOLDER);

const notice = readFileSync(join(BUILT, "THIRD-PARTY-LICENSES.txt"), "utf8");

const isNamed = (name: string): boolean => new RegExp(`^${name} \\d\\S* \\(\\S+\\)$`, "m").test(notice);

const PACKAGE = /(?:@[\w.-]+\/)?[\w.-]+/;

/** The bundles have a comment before each file. */
function packagesInBundles(): string[] {
  const bundles = readdirSync(BUILT).filter((name) => name.endsWith(".js"));
  const comments = bundles.flatMap((name) => readFileSync(join(BUILT, name), "utf8").match(/^ *\/\/ .*node_modules\/.+$/gm) ?? []);
  return [...new Set(comments.flatMap((comment) => /.*node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//.exec(comment)?.[1] ?? []))];
}

/** Those whose files a build reads by itself, as far as they are data. */
function packagesReadByBuilds(): string[] {
  const read = ["dashboard/map/draw-countries.mjs", "adapters/node/build.mjs", "adapters/node/geo-database.ts"]
    .map((path) => readFileSync(join(ROOT, path), "utf8"))
    .flatMap((text) => [...text.matchAll(/(?:require|resolve)\("([^"]+)"\)|_FILE = "([^"]+)"/g)]);
  return read.flatMap(([, required, file]) => PACKAGE.exec(required ?? file ?? "")?.[0] ?? []);
}

describe("the notice of the built program", () => {
  it("names every package of the bundles, of the dashboard, and of the data that builds read", () => {
    const [bundled, read] = [packagesInBundles(), packagesReadByBuilds()];
    expect(bundled).toEqual(expect.arrayContaining(["hyparquet", "apache-arrow", "@whatwg-node/server"]));
    expect(read).toEqual(expect.arrayContaining(["world-atlas", "@duckdb/duckdb-wasm", "@ip-location-db/geo-whois-asn-country-mmdb"]));
    expect([...bundled, ...read, "preact", "uplot"].filter((name) => !isNamed(name))).toEqual([]);
  });

  it("contains the texts of the licenses, notices, and the attribution of the country data", () => {
    for (const text of ["Permission is hereby granted", "Apache License", "Apache Arrow", "Jason Miller", "CC BY 4.0"]) {
      expect(notice).toContain(text);
    }
  });

  it("lists no package that only a command of a dependency needs", () => {
    // Of apache-arrow's `arrow2csv`. It declares its license in a way that npm no longer reads.
    expect(isNamed("json-bignum")).toBe(false);
  });
});

/** The notice of a program that imports one package. */
async function noticeWith(manifest: object, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await tempFolder();
  const ofPackage = join(folder, "node_modules/a-package");
  await mkdir(ofPackage, { recursive: true });
  await writeFile(join(folder, "main.js"), `import { a } from "a-package"; console.log(a);`);
  const whole = { name: "a-package", version: "1.2.3", ...manifest };
  const all = { "package.json": JSON.stringify(whole), "index.js": "export const a = 1;", ...files };
  for (const [name, text] of Object.entries(all)) await writeFile(join(ofPackage, name), text);
  const licenses = new BundledLicenses();
  const bundling = { absWorkingDir: folder, entryPoints: ["main.js"], bundle: true, write: false };
  await build({ ...bundling, format: "esm", plugins: [licenses.plugin] });
  return licenses.notice();
}

describe("a package in a build", () => {
  it("is named with its version, its license and the text of all its license files", async () => {
    const files = { "LICENSE.txt": "The license.", NOTICE: "The notice.", "README.md": "Read me." };
    const text = await noticeWith({ license: "Apache-2.0" }, files);
    expect(text).toMatch(/^-+\na-package 1\.2\.3 \(Apache-2\.0\)\n-+\n\nThe license\.\n\nThe notice\.\n$/m);
    expect(text).not.toContain("Read me.");
  });

  it("gets the text of the MIT license with its author if it ships none", async () => {
    expect(await noticeWith({ license: "MIT", author: { name: "A. Person" } })).toContain("MIT License\n\nCopyright (c) A. Person\n");
    expect(await noticeWith({ license: "MIT" })).toContain("Copyright (c) the contributors of a-package\n");
  });

  it.each([["GPL-3.0-only"], ["MPL-2.0"], ["SEE LICENSE IN LICENSE"], [undefined]])(
    "fails the build with the license %s",
    async (license) => {
      await expect(noticeWith({ license }, { LICENSE: "A text." })).rejects.toThrow(
        `a-package 1.2.3 is in a built file, but its license (${license ?? "none"}) is not in ALLOWED`,
      );
    },
  );

  it("gets the text of the ISC license with its author if it ships none", async () => {
    expect(await noticeWith({ license: "ISC", author: "A. Person" })).toContain("ISC License\n\nCopyright (c) A. Person\n");
  });

  it("fails the build without a text of a license other than MIT and ISC", async () => {
    await expect(noticeWith({ license: "BSD-2-Clause" })).rejects.toThrow(
      "a-package has no file with the text of its license (BSD-2-Clause)",
    );
  });
});
