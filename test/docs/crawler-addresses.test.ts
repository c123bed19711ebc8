/** The documented way to verify crawlers (docs/bots.md), with files in place of those that operators publish. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { bodyOf, CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { asTarget } from "../support/node-target.ts";
import { snippetOf } from "../support/proxy.ts";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

const run = promisify(execFile);

const page = readPage("docs/bots.md");
const HEADING = "Verify crawlers";

const [, list = ""] = /Lists have the form `(.*?)`:/s.exec(page.text) ?? [];
const files = [...page.text.matchAll(/-o (\/srv\/crawlers\/\S+)/g)].map(([, file = ""]) => file);
const [report] = codeBlocksOf(page).flatMap(({ language, code }) => (language === "sh" && code.includes('"ip"') ? [code] : []));

it("the program starts with lists of the documented names and form, and verifies the documented request", async () => {
  const [folder, dataFolder] = [await tempFolder(), await tempFolder()];
  const here = (text: string): string => text.replace("/srv/crawlers", join(folder, "crawlers"));
  await mkdir(join(folder, "crawlers"));
  expect(files).toHaveLength(3);
  for (const file of files) await writeFile(here(file), list);
  const config = join(folder, "sandpiper.toml");
  await writeFile(config, here(snippetOf(page, HEADING, "toml")));
  const server = await startServer({ dataFolder, environment: { ...CLOSED, SVC_CONFIG: config } });
  onTestFinished(async () => void (await server.stop()));
  const target = asTarget(server);
  const { key } = await createKey(target, await logIn(target), "Admin");
  const now = new Date(target.nowMs()).toISOString();
  const command = (report ?? "").replace("http://127.0.0.1:8000", server.origin).replace(/"time":"[^"]*"/, `"time":"${now}"`);
  await run("bash", ["-c", command], { env: { ...process.env, ADMIN_KEY: key } });
  const answer = await target.fetch("/api/stats/crawls?site_id=example.com", { headers: withKey(key) });
  expect((await bodyOf<{ crawlers: object[] }>(answer)).crawlers).toMatchObject([
    { name: "GPTBot", reads: 1, verified: true, verified_reads: 1 },
  ]);
});
