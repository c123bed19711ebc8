/** The tracker as a module that a single-page application imports: built, typed, bundled, and run in a browser. */

import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, test } from "vitest";
import { EVENT_PATH } from "../../src/runtime/names.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { SITE_ID, trackerBench } from "./support/tracker-bench.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

const folders: string[] = [];
afterAll(() => Promise.all(folders.map(removeFolder)));

/** A folder of an application that has the package installed, with these files. */
async function makeApplication(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeTempFolder();
  folders.push(folder);
  await mkdir(join(folder, "node_modules"));
  await symlink(join(root, "dist/tracker"), join(folder, "node_modules/sandpiper-tracker"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** The compiler's complaints, by line. */
async function typeFaults(folder: string, file: string): Promise<string[]> {
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--types", ""];
  const outcome = await run(join(root, "node_modules/.bin/tsc"), [...options, file], { cwd: folder }).catch((fault: { stdout: string }) => fault);
  return outcome.stdout.split("\n").filter((line) => line.includes("error"));
}

/** An application's script as its bundler would make it. */
async function bundled(source: string): Promise<string> {
  const folder = await makeApplication({ "app.js": source });
  const { outputFiles } = await build({ entryPoints: [join(folder, "app.js")], bundle: true, write: false, minify: true, format: "iife", logLevel: "silent" });
  return outputFiles[0]?.text ?? "";
}

beforeAll(async () => {
  await run(process.execPath, [join(root, "tracker/build-module.mjs")]);
});

describe.concurrent("the module", () => {
  const bench = trackerBench();

  test("has types that take what is right and refuse what is wrong", async ({ expect }) => {
    const folder = await makeApplication({
      "app.ts": `import { init, track, type TrackerOptions } from "sandpiper-tracker";
        const options: TrackerOptions = { site: "a.example", api: "https://stats.example/api/event", downloads: ["pdf"] };
        init(options);
        track("Signup", { props: { plan: "pro" }, revenue: 1.5, currency: "EUR", callback: ({ status }) => status.toFixed() });`,
      "wrong.ts": `import { init, track } from "sandpiper-tracker";
        init({ site: "a.example" });
        track(5);
        track("Signup", { revenue: "1.5" });`,
    });
    expect(await typeFaults(folder, "app.ts")).toEqual([]);
    expect((await typeFaults(folder, "wrong.ts")).map((fault) => /\((\d+),/.exec(fault)?.[1])).toEqual(["2", "3", "4"]);
  });

  test("does nothing where there is no page", async ({ expect }) => {
    const folder = await makeApplication({
      "server.mjs": `import { init, track } from "sandpiper-tracker";
        track("Early"); init({ site: "a.example", api: "http://localhost/api/event" }); track("Late"); console.log("fine");`,
    });
    expect((await run(process.execPath, ["server.mjs"], { cwd: folder })).stdout).toBe("fine\n");
  });

  const visitOf = async (initOptions: string, rest: string, body = "") => {
    const script = (origin: string) =>
      bundled(`import { init, track } from "sandpiper-tracker";
        track("Early", { props: { n: 1 } });
        init({ site: "${SITE_ID}", api: "${origin}${EVENT_PATH}", ${initOptions} });
        init({ site: "other.example", api: "${origin}${EVENT_PATH}" });
        ${rest}`);
    const recording = bench.createRecording();
    const text = await script(recording.origin);
    return { recording, visit: await bench.visit({ page: () => `<!doctype html><body>${body}<script>${text}</script>`, recording }) };
  };

  test("counts the first page, moves to others, and what is tracked before and after its start", async ({ expect }) => {
    const { visit } = await visitOf("", `window.move = (to) => history.pushState(null, "", to); track("Late", { revenue: 2, currency: "eur" });`);
    await visit.run(`move("/next")`);
    expect(await visit.events()).toEqual([
      visit.pageview("/"),
      visit.event("Early", "/", { p: '{"n":1}' }),
      visit.event("Late", "/", { ra: 2, rc: "EUR" }),
      visit.pageview("/next"),
    ]);
  });

  test("leaves no global name behind", async ({ expect }) => {
    const { visit } = await visitOf("", "");
    expect(await visit.run("typeof svc")).toBe("undefined");
    expect(await visit.events()).toHaveLength(2);
  });

  test("has the options of the script's tag", async ({ expect }) => {
    const { visit } = await visitOf(
      `exclude: ["/hidden/*", "/gone"], hash: true, outbound: true, downloads: ["dat"]`,
      `window.move = (to) => history.pushState(null, "", to);`,
      `<a id="out" href="http://elsewhere.example/" target="_blank">out</a><a id="file" href="/files/x.dat" download>file</a>`,
    );
    for (const path of ["/hidden/page", "/gone", "/#/inner"]) await visit.run(`move("${path}")`);
    await visit.page.click("#out");
    await visit.page.click("#file");
    const events = await visit.events();
    expect(events.map(({ n, u }) => [n, new URL(String(u)).pathname])).toEqual([
      ["pageview", "/"],
      ["Early", "/"],
      ["pageview", "/inner"],
      ["Outbound Link: Click", "/inner"],
      ["File Download", "/inner"],
    ]);
  });
});
