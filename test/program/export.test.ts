/** Archives of the built server: the command makes them in a process of its own, which ends with the server. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { bodyOf, CLOSED, logIn } from "../support/auth-requests.ts";
import { asTarget } from "../support/node-target.ts";
import { record, wireEvent } from "../support/requests.ts";
import { startServer } from "../support/server-process.ts";
import type { TargetRequest } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SITE = "site.test";
const EVENTS = 20;

/** Processes besides the server's own whose command names this folder. */
async function makersIn(folder: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return pids.filter((_, i) => commands[i]?.includes(`${folder}/downloads`)).map(Number);
}

it("an archive is made beside the server, and a kill of its process or of the server leaves neither it nor a process that makes it", async () => {
  const dataFolder = await tempFolder();
  const server = await startServer({ dataFolder, environment: CLOSED });
  const target = asTarget(server);
  const headers = await logIn(target);
  const ask = (path: string, init: TargetRequest = {}) => target.fetch(`/api/exports${path}`, { headers, ...init });
  const begin = async (format: string, siteId = SITE): Promise<string> => {
    const asked = await ask("", { method: "POST", body: JSON.stringify({ site_id: siteId, format }) });
    return (await bodyOf<{ export_id: string }>(asked, 201)).export_id;
  };
  for (let i = 0; i < EVENTS; i++) await record(target, wireEvent(SITE, { u: `https://${SITE}/${i}` }));
  const id = await begin("jsonl");
  const stateOf = async (asked: string) => (await bodyOf<{ state: string }>(await ask(`/${asked}`))).state;
  await expect.poll(() => stateOf(id)).toBe("ready");
  const archive = await (await ask(`/${id}/file`)).arrayBuffer();
  const lines = Object.values(unzipSync(new Uint8Array(archive))).flatMap((file) => new TextDecoder().decode(file).trimEnd().split("\n"));
  expect(new Set(lines.map((line) => (JSON.parse(line) as { pathname: string }).pathname)).size).toBe(EVENTS);

  const killed = await begin("reports");
  /** Killed as soon as it is seen, for it may end by itself right after. */
  const afterKill = async () => {
    for (const maker of await makersIn(dataFolder)) process.kill(maker, "SIGKILL");
    return stateOf(killed);
  };
  await expect.poll(afterKill).toBe("failed");
  expect(await bodyOf(await ask(`/${killed}`))).toMatchObject({
    failure: "The process was ended by SIGKILL: it may have had too little memory",
  });
  expect(await readdir(join(dataFolder, "downloads"))).toEqual([`${id}.zip`]);

  // Its name begins like an option.
  await record(target, wireEvent("-site.test"));
  const dashed = await begin("csv", "-site.test");
  await expect.poll(() => stateOf(dashed)).toBe("ready");

  const second = await begin("reports");
  await expect.poll(() => existsSync(join(dataFolder, "downloads", `${second}.zip.parts`))).toBe(true);
  await server.kill9();
  await expect.poll(() => makersIn(dataFolder)).toEqual([]);
  const next = await startServer({ dataFolder, environment: CLOSED });
  expect(await readdir(join(dataFolder, "downloads"))).toEqual([]);
  expect(await next.stop()).toBe(0);
});
