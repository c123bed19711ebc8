/** Goals, segments and annotations of a process that is killed: what was answered holds, and a damaged record is named. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { addItem, askCollection, listItems } from "../support/collections.ts";
import { asTarget } from "../support/node-target.ts";
import { runProgram } from "../support/run-process.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SITE = "killed.test";
const KILLS = 3;

describe("goals of a process that is killed", () => {
  it("the goals of a killed process are exactly the answered changes, and an unanswered change exists completely or not at all", async () => {
    const dataFolder = await tempFolder();
    let server = await startServer({ dataFolder, environment: CLOSED });
    const kept: string[] = [];
    for (let i = 0; i < KILLS; i++) {
      const target = asTarget(server);
      const session = await logIn(target);
      const post = (name: string) => askCollection(target, "goals", SITE, session, { method: "POST", body: { name, page: "/" } });
      await addItem(target, "goals", SITE, session, { name: `kept ${i}`, page: `/${i}` });
      const { id } = await addItem(target, "goals", SITE, session, { name: `removed ${i}`, page: "/" });
      expect((await askCollection(target, "goals", SITE, session, { method: "DELETE", id })).status).toBe(200);
      kept.push(`kept ${i}`);
      const underWay = Promise.allSettled([post(`under way ${i}`)]);
      await server.kill9();
      await underWay;
      server = await startServer({ dataFolder, environment: CLOSED });
      const found = await listItems<{ name: string }>(asTarget(server), "goals", SITE, await logIn(asTarget(server)));
      expect(found.map(({ name }) => name).filter((name) => !name.startsWith("under way"))).toEqual(kept);
    }
    expect(await server.stop()).toBe(0);
  });

  it("a damaged record of goals, which the next change would overwrite, prevents the start with a message that names it", async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder, environment: CLOSED });
    await addItem(asTarget(first), "goals", SITE, await logIn(asTarget(first)), { name: "n", page: "/" });
    await first.kill9();
    const [name = ""] = await readdir(join(dataFolder, "goals"));
    expect(await runProgram(["verify", "--data-dir", dataFolder])).toMatchObject({ code: 0, stderr: "" });
    const path = join(dataFolder, "goals", name);
    await writeFile(path, (await readFile(path)).subarray(0, -10));
    const server = spawnServer({ dataFolder, environment: CLOSED });
    expect((await server.exited).code).toBe(1);
    expect(server.log()).toContain(`goals/${name} in the data folder is damaged`);
    const { code, stdout, stderr } = await runProgram(["verify", "--data-dir", dataFolder]);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`goals/${name}`);
  });

  it("backups include goals", async () => {
    const [dataFolder, backups, restored] = [await tempFolder(), join(await tempFolder(), "backups"), join(await tempFolder(), "restored")];
    const first = await startServer({ dataFolder, environment: CLOSED });
    const goal = await addItem(asTarget(first), "goals", SITE, await logIn(asTarget(first)), { name: "n", page: "/" });
    expect(await first.stop()).toBe(0);
    expect(await runProgram(["backup", backups, "--data-dir", dataFolder])).toMatchObject({ code: 0 });
    expect(await runProgram(["restore", backups, "--data-dir", restored])).toMatchObject({ code: 0 });
    const second = await startServer({ dataFolder: restored, environment: CLOSED });
    expect(await listItems(asTarget(second), "goals", SITE, await logIn(asTarget(second)))).toEqual([goal]);
    expect(await second.stop()).toBe(0);
  });
});
