/** The shell commands of the docs work: each one that can run here is run against the program (`command-names.test.ts` checks the others). */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fillDataFolder } from "../support/data-folder.ts";
import { wireEvent } from "../support/requests.ts";
import { runProcess } from "../support/run-process.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import type { Environment } from "../support/target.ts";
import { makeTempFolder, removeFolder, tempFolder } from "../support/temp-folder.ts";
import { logLine } from "../support/uploads.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { commandsIn, commandsOfKind, CREDENTIAL, withBuiltProgram } from "./commands.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

/** What stands for values of the reader's own in the documents. */
const VISITOR: Environment = {
  VISITOR_USER_AGENT: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  VISITOR_ADDRESS: "203.0.113.7",
};

interface Ended {
  readonly code: number;
  readonly printed: string;
}

/** Runs a command in bash to its end. A curl request that is not answered with 2xx fails. */
async function run(command: string, { folder, environment }: { folder: string; environment?: Environment }): Promise<Ended> {
  const script = `curl() { command curl --fail-with-body -sS "$@"; }\n${command}`;
  const { code, stdout, stderr } = await runProcess(["bash", "-c", script], { cwd: folder, ...(environment && { environment }) });
  return { code, printed: stdout + stderr };
}

/** The command with the address of a running program in the place of those in the documents. */
function at(server: ServerProcess, command: string): string {
  const { origin } = server;
  const { port } = new URL(origin);
  return command
    .replaceAll(/http:\/\/127\.0\.0\.1:8000|https:\/\/stats\.example\.com/g, origin)
    .replaceAll("http://nas:8000", `--resolve nas:${port}:127.0.0.1 http://nas:${port}`);
}

/** The JSON block before a command: what the reader has written to the file that it sends. */
function requestBefore(page: string, command: string): string {
  const blocks = codeBlocksOf(readPage(page));
  const index = blocks.findIndex(({ language, code }) => language === "sh" && commandsIn(code).includes(command));
  return blocks.slice(0, index).findLast(({ language }) => language === "json")?.code ?? "";
}

const closes: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closes) await close();
});

/** A program for the rest of the file. */
async function startFor(environment: Environment = {}): Promise<ServerProcess> {
  const dataFolder = await makeTempFolder();
  const server = await startServer({ dataFolder, environment });
  closes.push(async () => {
    await server.stop();
    await removeFolder(dataFolder);
  });
  return server;
}

const hasCurl = spawnSync("curl", ["--version"]).error === undefined;

describe.skipIf(!hasCurl)(`curl requests${hasCurl ? "" : " (skipped: no curl on this machine)"}`, () => {
  describe("that set the password", () => {
    for (const { page, command } of commandsOfKind("setup")) {
      it(`${command} (${page}) succeeds`, async () => {
        const server = await startFor();
        await server.logged(/ setupCode=\S+/);
        const [, code = ""] = / setupCode=(\S+)/.exec(server.log()) ?? [];
        const folder = await tempFolder();
        await writeFile(join(folder, "setup.json"), requestBefore(page, command).replace("7K3M-Q9TX-2VBN-8RHD", code));
        expect(await run(at(server, command), { folder })).toEqual({ code: 0, printed: expect.stringMatching(/"token":"\w+/) });
        const status = (await (await fetch(`${server.origin}/api/auth/status`)).json()) as { setup_required: boolean };
        expect(status.setup_required).toBe(false);
      });
    }
  });

  describe("to an instance without a password", () => {
    let server: ServerProcess;
    beforeAll(async () => {
      server = await startFor({ SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "0" });
    });

    for (const { page, command } of commandsOfKind("open")) {
      it(`${command} (${page}) succeeds`, async () => {
        const folder = await tempFolder();
        const ended = await run(at(server, command), { folder, environment: VISITOR });
        expect(ended).toMatchObject({ code: 0 });
        const [, file] = / -o (\S+)/.exec(command) ?? [];
        if (file !== undefined) expect(await readdir(folder)).toEqual([file]);
        if (command.includes("/api/event")) {
          const goals = await fetch(`${server.origin}/api/stats/goals?site_id=example.com`);
          expect(await goals.json()).toEqual([expect.objectContaining({ name: "Signup", visitors: 1 })]);
        }
      });
    }
  });

  describe("to an instance with a password", () => {
    let server: ServerProcess;
    const credentials: Record<string, string> = { METRICS_TOKEN: "a-token-for-metrics" };
    const files: Record<string, string> = {};

    const shared = async (name: string): Promise<{ token: string; share_hash: string }> => {
      const response = await fetch(`${server.origin}/api/shares`, {
        method: "POST",
        headers: { cookie: `svc_session=${credentials["TOKEN"]}` },
        body: JSON.stringify({ name, site_id: "example.com" }),
      });
      return (await response.json()) as { token: string; share_hash: string };
    };

    const created = async (name: string, scope: string): Promise<{ key: string; key_hash: string }> => {
      const response = await fetch(`${server.origin}/api/keys`, {
        method: "POST",
        headers: { cookie: `svc_session=${credentials["TOKEN"]}` },
        body: JSON.stringify({ name, scope }),
      });
      return (await response.json()) as { key: string; key_hash: string };
    };

    const settings = async (method: "GET" | "PUT" | "POST", path: string, body?: object): Promise<string> => {
      const headers = { cookie: `svc_session=${credentials["TOKEN"]}` };
      return (await fetch(server.origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).text();
    };

    /** With what earlier commands of the page, and its reader, have written. */
    async function folderWithFiles(page: string, command: string): Promise<string> {
      const folder = await tempFolder();
      for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
      const [, sent] = / -d @(\S+)/.exec(command) ?? [];
      if (sent !== undefined && !(sent in files)) await writeFile(join(folder, sent), requestBefore(page, command));
      return folder;
    }

    beforeAll(async () => {
      server = await startFor({ SVC_METRICS_TOKEN: credentials["METRICS_TOKEN"] ?? "" });
      const setup = await fetch(`${server.origin}/api/auth/setup`, {
        method: "POST",
        body: JSON.stringify({ password: "correct horse battery staple" }),
      });
      credentials["TOKEN"] = ((await setup.json()) as { token: string }).token;
      credentials["KEY"] = (await created("reads", "ReadOnly")).key;
      credentials["ADMIN_KEY"] = (await created("manages", "Admin")).key;
      credentials["KEY_HASH"] = (await created("is revoked", "ReadOnly")).key_hash;
      credentials["SHARE"] = (await shared("is used")).token;
      credentials["SHARE_HASH"] = (await shared("is revoked")).share_hash;
      credentials["RULE_ID"] = (
        JSON.parse(await settings("POST", "/api/rules?site_id=example.com", { name: "a rule", filters: "pages==/" })) as { id: string }
      ).id;
      files["site.json"] = await settings("PUT", "/api/sites/example.com", { name: "Our shop" });
      files["settings.json"] = await settings("GET", "/api/settings");
      const body = JSON.stringify(wireEvent("blog.example.com"));
      await fetch(`${server.origin}/api/event`, { method: "POST", headers: { "user-agent": CHROME_WINDOWS }, body });
    });

    for (const { page, command } of commandsOfKind("secured")) {
      it(`${command} (${page}) succeeds`, async () => {
        expect(await run(at(server, command), { folder: await folderWithFiles(page, command), environment: credentials })).toMatchObject({
          code: 0,
        });
        // Later commands have the site's id of before.
        if (command.includes("/rename")) await settings("POST", "/api/sites/example.org/rename", { to: "example.com" });
        if (!CREDENTIAL.test(command)) return;
        const without = await run(at(server, command).replace(/ -o \S+/, ""), { folder: await folderWithFiles(page, command) });
        expect(without).toMatchObject({ code: 22, printed: expect.stringContaining(`"error":`) });
      });
    }

    it("the commands of docs/sites.md change the fields that its sections name, and no others", async () => {
      const folder = await tempFolder();
      const blocks = codeBlocksOf(readPage("docs/sites.md"));
      const [get = "", put = ""] = blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => commandsIn(code));
      const fields = blocks.filter(({ language }) => language === "json").map(({ code }) => JSON.parse(`{${code}}`) as object);
      const others = { name: "Our shop", week_start: "sunday", hidden_cards: ["revenue"], retention_days: 0 };
      await settings("PUT", "/api/sites/example.com", others);
      for (const field of fields) {
        expect(await run(at(server, get), { folder, environment: credentials })).toMatchObject({ code: 0 });
        const file = join(folder, "site.json");
        const before = JSON.parse(readFileSync(file, "utf8")) as object;
        await writeFile(file, JSON.stringify({ ...before, ...field }, null, 2));
        expect(await run(at(server, put), { folder, environment: credentials })).toMatchObject({ code: 0 });
        expect(JSON.parse(await settings("GET", "/api/sites/example.com"))).toEqual({ ...before, ...field });
      }
      expect(fields.map((field) => Object.keys(field)[0])).toContain("retention_days");
    });
  });
});

describe("commands of the program", () => {
  const [toml] = codeBlocksOf(readPage("docs/configuration.md")).filter(({ language }) => language === "toml");

  /** The command with the test's program, folders and ports in the place of those in the documents. */
  function inFolders(command: string, folder: string, dataFolder: string): string {
    return withBuiltProgram(command)
      .replace("/etc/sandpiper.toml", `${folder}/sandpiper.toml`)
      .replace("/run/secrets/", `${folder}/`)
      .replace("/backups/", `${folder}/backups/`)
      .replace(/\/tmp\/restored|\/var\/lib\/sandpiper/, dataFolder)
      .replace(/(SVC_PORT=|--port )\d+/, "$10");
  }

  for (const { page, command } of commandsOfKind("program")) {
    it(`${command} (${page}) succeeds`, async () => {
      const [folder, dataFolder] = [await tempFolder(), await tempFolder()];
      await writeFile(join(folder, "sandpiper.toml"), toml?.code ?? "");
      for (const name of ["admin_password", "new-password.txt"]) await writeFile(join(folder, name), "correct horse battery staple\n");
      const here = inFolders(command, folder, dataFolder);
      const environment = { SVC_DATA_DIR: dataFolder };
      if (/ (backup|verify)\b/.test(command)) {
        await fillDataFolder(dataFolder);
        expect(await run(here, { folder, environment })).toEqual({ code: 0, printed: expect.stringContaining("no fault") });
        return;
      }
      if (command.includes("sandpiper import ")) {
        await writeFile(join(folder, "access.log"), logLine("2026-02-01T10:00:00", "/"));
        expect(await run(here, { folder, environment })).toEqual({
          code: 0,
          printed: expect.stringContaining("Import #1 is shown: 1 event of"),
        });
        return;
      }
      if (command.includes("sandpiper rename ")) {
        await fillDataFolder(dataFolder);
        expect(await run(here.replace("example.com", "a.test"), { folder, environment })).toMatchObject({ code: 0 });
        expect(await readdir(join(dataFolder, "events"))).toContain("site_id=example.org");
        return;
      }
      if (command.includes("sandpiper export ")) {
        await fillDataFolder(dataFolder);
        const exported = here.replace("/srv/exports", join(folder, "exports")).replace("--site example.com", "--site a.test");
        expect(await run(exported, { folder, environment })).toEqual({ code: 0, printed: expect.stringMatching(/^ {2}a\.test: \d/m) });
        expect(await readdir(join(folder, "exports"))).toContain(command.includes("--zip") ? "all.zip" : "export.jsonl");
        return;
      }
      if (command.includes(" reset-password")) {
        await writeFile(join(dataFolder, "admin.json"), "{}");
        const typed = command.includes("<") ? here : `${here} < new-password.txt`;
        expect(await run(typed, { folder, environment })).toEqual({ code: 0, printed: expect.stringContaining("is replaced") });
        return;
      }
      if (command.includes(" healthcheck")) {
        const server = await startFor();
        await expect.poll(async () => (await fetch(`${server.origin}/health/ready`)).status).toBe(200);
        const ended = await run(here.replace("--port 0", `--port ${new URL(server.origin).port}`), { folder });
        expect(ended).toEqual({ code: 0, printed: expect.stringContaining("answered 200") });
        return;
      }
      const server = await startServer({ dataFolder, command: ["bash", "-c", `exec env ${here}`] });
      onTestFinished(async () => void (await server.stop()));
      expect(await (await fetch(`${server.origin}/health`)).text()).toBe("ok");
      expect(server.log()).not.toContain("is ignored");
    });
  }
});
