/** The tracker as a package that an application imports: its types, and its behavior outside a browser. */

import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, test } from "vitest";
import { codeBlocksOf, readPage } from "../docs/pages.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

const folders: string[] = [];
afterAll(() => Promise.all(folders.map(removeFolder)));

/** The folder of an application with these files and the package installed. */
async function makeApplication(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeTempFolder();
  folders.push(folder);
  await mkdir(join(folder, "node_modules"));
  await symlink(join(root, "dist/tracker"), join(folder, "node_modules/sandpiper-analytics"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** The compiler's complaints, by line. */
async function typeFaults(folder: string, file: string): Promise<string[]> {
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--types", ""];
  const outcome = await run(join(root, "node_modules/.bin/tsc"), [...options, file], { cwd: folder }).catch(
    (fault: { stdout: string }) => fault,
  );
  return outcome.stdout.split("\n").filter((line) => line.includes("error"));
}

beforeAll(async () => {
  await run(process.execPath, [join(root, "tracker/build-module.mjs")]);
});

describe.concurrent("the package", () => {
  test("has types that accept correct calls and refuse wrong ones", async ({ expect }) => {
    const folder = await makeApplication({
      "app.ts": `import { init, track, type TrackerOptions } from "sandpiper-analytics/tracker";
        const options: TrackerOptions = { site: "a.example", api: "https://stats.example/api/event", downloads: ["pdf"] };
        init(options);
        track("Signup", { props: { plan: "pro" }, revenue: 1.5, currency: "EUR", callback: ({ status }) => status.toFixed() });`,
      "wrong.ts": `import { init, track } from "sandpiper-analytics/tracker";
        init({ site: "a.example" });
        track(5);
        track("Signup", { revenue: "1.5" });`,
    });
    expect(await typeFaults(folder, "app.ts")).toEqual([]);
    expect((await typeFaults(folder, "wrong.ts")).map((fault) => /\((\d+),/.exec(fault)?.[1])).toEqual(["2", "3", "4"]);
  });

  test("is imported and called as docs/tracking.md shows", async ({ expect }) => {
    const shown = codeBlocksOf(readPage("docs/tracking.md")).filter(({ code }) => code.startsWith("import { init"));
    expect(shown.length).toBe(1);
    const folder = await makeApplication({ "documented.ts": shown[0]?.code ?? "" });
    expect(await typeFaults(folder, "documented.ts")).toEqual([]);
  });

  test("does nothing outside a browser", async ({ expect }) => {
    const folder = await makeApplication({
      "server.mjs": `import { init, track } from "sandpiper-analytics/tracker";
        track("Early"); init({ site: "a.example", api: "http://localhost/api/event" }); track("Late"); console.log("fine");`,
    });
    expect((await run(process.execPath, ["server.mjs"], { cwd: folder })).stdout).toBe("fine\n");
  });
});
