/** Share links and a process that is killed or loses power: what was answered holds, and a link is created or not, never half. */
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import type { FileSystem } from "../../adapters/node/files/file-system.ts";
import type { Shares } from "../../src/runtime/access/shares.ts";
import { createShare, deleteShare, logIn, postShare, unlock, withShare } from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { asTarget } from "../support/node-target.ts";
import { runProgram } from "../support/run-process.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { listOf, openShares, plainShare } from "../support/shares.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { ofTier } from "../support/tier.ts";
import { DATA_FOLDER, expectWholeAtEachCall } from "./struck-change.ts";

const ADMIN = { SVC_ADMIN_PASSWORD: "correct horse battery" };
const SITE = { site_id: "one.test", name: "a link" };
const KILLS = ofTier({ quick: 2, all: 5 });

describe("a process that is killed", () => {
  it("share links of a killed process work if their creation was answered, and stay revoked if their revocation was", async () => {
    const dataFolder = await tempFolder();
    let server = await startServer({ dataFolder, environment: ADMIN });
    const known: { token: string; share_hash: string; revoked: boolean }[] = [];
    for (let i = 0; i < KILLS; i++) {
      const target = asTarget(server);
      const session = await logIn(target);
      const [kept, revoked] = [await createShare(target, session, SITE), await createShare(target, session, SITE)];
      await deleteShare(target, session, revoked.share_hash).then((response) => expect(response.status).toBe(200));
      known.push({ ...kept, revoked: false }, { ...revoked, revoked: true });
      // Others are on their way, and their uses are being recorded.
      const underWay = Promise.allSettled([
        postShare(target, session, SITE),
        target.fetch("/api/share", { headers: withShare(kept.token) }),
      ]);
      await server.kill9();
      await underWay;
      server = await startServer({ dataFolder, environment: ADMIN });
      for (const { token, revoked: isRevoked } of known) {
        const { status } = await asTarget(server).fetch("/api/share", { headers: withShare(token) });
        expect(status).toBe(isRevoked ? 404 : 200);
      }
    }
    expect(await server.stop()).toBe(0);
    for (const name of await readdir(join(dataFolder, "shares"))) {
      const text = await readFile(join(dataFolder, "shares", name), "utf8");
      for (const { token } of known) expect(text).not.toContain(token);
    }
  });

  it("a damaged record of a share link, which may be a revocation, prevents the start with a message that names it", async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder, environment: ADMIN });
    const { share_hash: hash } = await createShare(asTarget(first), await logIn(asTarget(first)), SITE);
    await first.kill9();
    const path = join(dataFolder, "shares", `${hash}.json`);
    const whole = await readFile(path);
    expect(await runProgram(["verify", "--data-dir", dataFolder])).toMatchObject({ code: 0, stderr: "" });
    const foreign = whole.toString("utf8").replace('"frameAncestors":[]', '"frameAncestors":["x; script-src *"]');
    for (const damaged of [whole.subarray(0, whole.length - 10), foreign]) {
      await writeFile(path, damaged);
      const server = spawnServer({ dataFolder, environment: ADMIN });
      expect((await server.exited).code).toBe(1);
      expect(server.log()).toContain(`shares/${hash}.json in the data folder is damaged`);
      const { code, stdout, stderr } = await runProgram(["verify", "--data-dir", dataFolder]);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(`shares/${hash}.json`);
      expect(stdout + stderr).not.toContain("no fault");
    }
  });
});

interface LinkChange {
  readonly title: string;
  readonly change: (shares: Shares, hash: string) => Promise<unknown>;
  /** The links that may be found, and those if the change was confirmed. */
  readonly found: readonly (readonly string[])[];
  readonly after: readonly string[];
}

const { signal } = new AbortController();

const create = (shares: Shares, name: string) => shares.create(plainShare(SITE.site_id, name), null, signal);

const REVOKED = ["first, revoked"];

const CHANGES: readonly LinkChange[] = [
  { title: "created", change: (shares) => create(shares, "second"), found: [["first"], ["first", "second"]], after: ["first", "second"] },
  { title: "revoked", change: (shares, hash) => shares.revoke(hash, signal), found: [["first"], REVOKED], after: REVOKED },
  {
    title: "used and then revoked",
    async change(shares, hash) {
      const share = shares.get(hash);
      if (share) shares.noteUse(share);
      await shares.revoke(hash, signal);
      await shares.settled();
    },
    found: [["first"], REVOKED],
    after: REVOKED,
  },
];

describe("a process that ends while it changes a share link", () => {
  it.each(CHANGES.map((each) => [each.title, each] as const))(
    "a share link that is %s when the process ends at any call is in its state before or after the change, and after it once that was confirmed",
    async (_title, { change, ...ends }) => {
      const open = (files: FileSystem) => openShares(createFileRecordStore(DATA_FOLDER, files));
      const firstHash = (shares: Shares) => shares.list()[0]?.shareHash ?? "";
      await expectWholeAtEachCall<readonly string[]>({
        before: async (files) => create(await open(files), "first"),
        async change(files) {
          const shares = await open(files);
          await change(shares, firstHash(shares));
        },
        find: async (files) => listOf(await open(files)).toSorted(),
        ...ends,
      });
    },
  );
});

describe("a record of a share link that cannot be written", () => {
  it("share links whose record cannot be written are refused from then on when they are revoked, and do not exist when they are created", async () => {
    const records = createMemoryRecordStore();
    const target = await createInProcessTarget(ADMIN, { records });
    const session = await logIn(target);
    const { token, share_hash: hash } = await createShare(target, session, { ...SITE, password: "open, sesame" });
    const viewer = withShare(((await (await unlock(target, token, "open, sesame")).json()) as { token: string }).token);
    const { write } = records;
    records.write = async () => {
      throw new Error("disk full");
    };
    expect((await postShare(target, session, SITE)).status).toBe(500);
    expect((await deleteShare(target, session, hash)).status).toBe(503);
    expect((await target.fetch("/api/share", { headers: viewer })).status).toBe(404);
    records.write = write;
    expect((await deleteShare(target, session, hash)).status).toBe(200);
    await target.restart();
    expect((await target.fetch("/api/share", { headers: withShare(token) })).status).toBe(404);
    expect(await records.list("shares/")).toEqual([`shares/${hash}.json`]);
    await target.close();
  });
});
