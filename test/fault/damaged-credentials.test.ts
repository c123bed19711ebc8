/** A damaged password or key file prevents the start: to ignore it could let anybody run the setup or read the statistics. */
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKey, postSetup, tokenOf, withBearer, withSession } from "../support/auth-requests.ts";
import { asTarget } from "../support/node-target.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** What the program prints when it cannot start with this folder. */
async function refusalOf(dataFolder: string): Promise<string> {
  const server = spawnServer({ dataFolder });
  const { code } = await server.exited;
  expect({ code, log: server.log() }).toMatchObject({ code: 1 });
  expect(server.log()).not.toContain("listens on");
  return server.log();
}

describe("damaged credentials", () => {
  it("damaged credentials prevent the start with a message that names the file, stay unchanged, and work again once repaired", async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder });
    const session = withSession(await tokenOf(await postSetup(asTarget(first))));
    const { key, key_hash: hash } = await createKey(asTarget(first), session, "ReadOnly");
    await first.kill9();

    const files = { "admin.json": join(dataFolder, "admin.json"), [`keys/${hash}.json`]: join(dataFolder, "keys", `${hash}.json`) };
    expect(await readdir(join(dataFolder, "keys"))).toEqual([`${hash}.json`]);
    for (const [name, path] of Object.entries(files)) {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const whole = await readFile(path);
      const torn = whole.subarray(0, whole.length - 10);
      await writeFile(path, torn);
      const says = await refusalOf(dataFolder);
      expect(says).toContain(`${name} in the data folder is damaged`);
      expect(says).not.toContain("argon2id");
      expect(await readFile(path)).toEqual(torn);
      await writeFile(path, whole);
    }

    const repaired = await startServer({ dataFolder });
    expect((await postSetup(asTarget(repaired))).status).toBe(409);
    expect((await asTarget(repaired).fetch("/api/sites", { headers: withBearer(key) })).status).toBe(200);
    expect(await repaired.stop()).toBe(0);
  });
});
