/** The documented way to a newer geo database (docs/operations.md, "Geography"), with the installed package in the registry's place. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { codeBlocksOf, readPage, ROOT } from "./pages.ts";

const run = promisify(execFile);

const PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

const blocks = codeBlocksOf(readPage("docs/operations.md"));
const [command] = blocks.flatMap(({ language, code }) => (language === "sh" && code.includes(PACKAGE) ? [code.trim()] : []));
const [options] = blocks.flatMap(({ language, code }) => (language === "toml" && code.includes(PACKAGE) ? [code] : []));

/** An archive as the registry would send it. */
async function packedInto(folder: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", join(ROOT, "node_modules", PACKAGE), "--silent", "--offline"], { cwd: folder });
  return join(folder, stdout.trim());
}

it("the documented command installs a database, and the program starts with it as documented", async () => {
  const [folder, dataFolder] = [await tempFolder(), await tempFolder()];
  const archive = await packedInto(folder);
  const here = command?.replace("/srv/geo", join(folder, "geo")).replace(`${PACKAGE}@latest`, archive) ?? "";
  await run("bash", ["-c", `${here} --offline`], { cwd: folder });
  const file = join(folder, "sandpiper.toml");
  await writeFile(file, options?.replace("/srv/geo", join(folder, "geo")) ?? "");
  const server = await startServer({ dataFolder, environment: { SVC_CONFIG: file } });
  onTestFinished(async () => void (await server.stop()));
  expect(existsSync(join(folder, "geo", "node_modules", PACKAGE))).toBe(true);
  expect(await (await fetch(`${server.origin}/health/detailed`)).json()).toMatchObject({
    geoip_loaded: true,
    geoip_built: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as unknown,
  });
});
