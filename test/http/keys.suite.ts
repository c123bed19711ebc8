/** API keys: how they are created, listed, used and revoked (docs/http-api.md, "API keys"). */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bodyOf,
  CLOSED,
  createKey,
  deleteKey,
  getStatus,
  listKeys,
  logIn,
  ofItsOwn,
  postKey,
  postSetup,
  tokenOf,
  withBearer,
  withKey,
  withSession,
  type CreatedKey,
} from "../support/auth-requests.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, type MakeTarget, type Target } from "../support/target.ts";

const listed = async (target: Target, session: RequestHeaders, { key_hash: hash }: CreatedKey) =>
  (await listKeys(target, session)).find((key) => key.key_hash === hash);

export function describeKeys(makeTarget: MakeTarget): void {
  describe("API keys", () => {
    let target: Target;
    let session: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget(CLOSED);
      session = await logIn(target);
    });
    afterAll(() => target.close());

    it.each(["ReadOnly", "Admin"] as const)("a %s key is returned once and listed by its hash", async (scope) => {
      const beforeMs = target.nowMs();
      const response = await postKey(target, session, { name: "Nightly report ☂", scope });
      const created = await bodyOf<CreatedKey>(response, 201);
      expect(created).toEqual({
        key: expect.stringMatching(/^svc_[0-9a-f]{64}$/) as unknown,
        key_hash: createHash("sha256").update(created.key).digest("hex"),
        name: "Nightly report ☂",
        scope,
      });
      const found = await listed(target, session, created);
      const { key: _shownOnce, ...kept } = created;
      expect(found).toEqual({
        ...kept,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
        revoked: false,
      });
      const createdMs = Date.parse(found?.created_at ?? "");
      expect(createdMs).toBeGreaterThanOrEqual(beforeMs);
      expect(createdMs).toBeLessThanOrEqual(target.nowMs());
      expect(JSON.stringify(await listKeys(target, session))).not.toContain(created.key);
    });

    it("keys of the same name differ, and keys are listed in order of creation", async () => {
      const created = [
        await createKey(target, session, "Admin"),
        await createKey(target, session, "Admin"),
        await createKey(target, session, "Admin"),
      ];
      expect(new Set(created.map(({ key }) => key)).size).toBe(3);
      const hashes = (await listKeys(target, session)).map(({ key_hash: hash }) => hash);
      expect(created.every(({ key_hash: hash }) => hashes.includes(hash))).toBe(true);
      const times = (await listKeys(target, session)).map(({ created_at: at }) => at);
      expect(times).toEqual(times.toSorted());
    });

    it("an Admin key creates and revokes keys, itself included", async () => {
      const admin = await createKey(target, session, "Admin");
      const made = await createKey(target, withBearer(admin.key), "ReadOnly");
      expect(await bodyOf(await deleteKey(target, withKey(admin.key), made.key_hash))).toEqual({ status: "revoked" });
      expect(await bodyOf(await deleteKey(target, withKey(admin.key), admin.key_hash))).toEqual({ status: "revoked" });
      await expectError(await target.fetch("/api/keys", { headers: withKey(admin.key) }), 401);
    });

    it("a revoked key is rejected and stays listed; revoking it again gives 200", async () => {
      const key = await createKey(target, session, "ReadOnly");
      expect((await target.fetch("/api/sites", { headers: withKey(key.key) })).status).toBe(200);
      for (let i = 0; i < 2; i++) expect(await bodyOf(await deleteKey(target, session, key.key_hash))).toEqual({ status: "revoked" });
      await expectError(await target.fetch("/api/sites", { headers: withKey(key.key) }), 401, "session or API key");
      expect(await getStatus(target, withBearer(key.key))).toEqual({ setup_required: false, authenticated: false });
      expect(await listed(target, session, key)).toMatchObject({ revoked: true, scope: "ReadOnly" });
    });

    it("status says authenticated for any valid key in either header", async () => {
      for (const scope of ["ReadOnly", "Admin"] as const) {
        const { key } = await createKey(target, session, scope);
        for (const headers of [withBearer(key), withKey(key)]) {
          expect(await getStatus(target, headers)).toEqual({ setup_required: false, authenticated: true });
        }
      }
    });

    it.each(["0".repeat(64), "nothing", "..", "%2e%2e%2fadmin", "0".repeat(63), "x".repeat(2000)])(
      "the unknown hash %s gives 404",
      async (hash) => {
        const response = await deleteKey(target, session, hash);
        expect(response.status).toBe(404);
        // Some of these are other paths.
        if (!hash.includes(".")) expect(await response.json()).toEqual({ error: "Key not found" });
      },
    );

    it("a hash in capitals gives 404", async () => {
      const { key_hash: hash } = await createKey(target, session, "Admin");
      await expectError(await deleteKey(target, session, hash.toUpperCase()), 404);
    });

    it.each([
      [400, "an empty name", { name: "", scope: "Admin" }, '"name"'],
      [400, "a name of 129 characters", { name: "😀".repeat(129), scope: "Admin" }, "1 to 128"],
      [400, "an unknown scope", { name: "a", scope: "admin" }, '"scope" must be one of ReadOnly, Admin'],
      [400, "an empty scope", { name: "a", scope: "" }, '"scope"'],
      [422, "no name", { scope: "Admin" }, '"name" is missing'],
      [422, "no scope", { name: "a" }, '"scope" is missing'],
      [422, "a name that is a number", { name: 1, scope: "Admin" }, '"name" must be a string'],
      [422, "a scope that is a list", { name: "a", scope: ["Admin"] }, '"scope" must be a string'],
      [422, "a list", [], "JSON object"],
    ])("an invalid body gives %d: %s", async (status, _name, body, says) => {
      const before = await listKeys(target, session);
      await expectError(await postKey(target, session, body), status, says);
      expect(await listKeys(target, session)).toEqual(before);
    });

    it("a name of 128 characters is accepted, and unknown fields are ignored", async () => {
      const name = "😀".repeat(128);
      const created = await bodyOf<CreatedKey>(await postKey(target, session, { name, scope: "Admin", revoked: true, key: "mine" }), 201);
      expect(await listed(target, session, created)).toMatchObject({ name, revoked: false });
    });

    it("keys that are created concurrently all exist", async () => {
      const created = await Promise.all(Array.from({ length: 10 }, () => createKey(target, session, "ReadOnly")));
      const hashes = (await listKeys(target, session)).map(({ key_hash: hash }) => hash);
      expect(created.filter(({ key_hash: hash }) => !hashes.includes(hash))).toEqual([]);
    });
  });
}

export function describeKeptCredentials(makeTarget: MakeTarget): void {
  describe("stored passwords and keys", () => {
    async function expectKept(target: Target, kept: CreatedKey, revoked: CreatedKey): Promise<void> {
      expect(await getStatus(target)).toEqual({ setup_required: false, authenticated: false });
      await expectError(await postSetup(target, "another password"), 409);
      expect((await target.fetch("/api/sites", { headers: withBearer(kept.key) })).status).toBe(200);
      await expectError(await target.fetch("/api/keys", { headers: withKey(kept.key) }), 403);
      await expectError(await target.fetch("/api/sites", { headers: withBearer(revoked.key) }), 401);
    }

    itNeeds(makeTarget, "restart", "after a restart, password and keys still work, and sessions have ended", async () => {
      const target = await makeTarget(ofItsOwn());
      const session = withSession(await tokenOf(await postSetup(target)));
      const [kept, revoked] = [await createKey(target, session, "ReadOnly", "kept"), await createKey(target, session, "Admin", "revoked")];
      await deleteKey(target, session, revoked.key_hash);
      const before = await listKeys(target, session);
      expect(before.map(({ name, revoked: isRevoked }) => [name, isRevoked]).toSorted()).toEqual([
        ["kept", false],
        ["revoked", true],
      ]);
      await able(target, "restart")();
      await expectKept(target, kept, revoked);
      await expectError(await target.fetch("/api/sites", { headers: session }), 401);
      expect(await listKeys(target, await logIn(target))).toEqual(before);
      await target.close();
    });
  });
}
