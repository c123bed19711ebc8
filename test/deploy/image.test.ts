/** The image of the Dockerfile: its steps run, and it serves as compose.yaml starts it: an unprivileged process 1 on a read-only root. */
import { chmodSync, chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../docs/pages.ts";
import type { Container, Ended, Image } from "../support/container.ts";
import { buildImage, whyNoContainers } from "../support/image.ts";
import { browserHeaders, wireEvent } from "../support/requests.ts";
import { skippedFor } from "../support/skipped.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

/** Building it installs all packages. */
const BUILD_MS_MAX = 400_000;

const SITE = "example.com";

const PASSWORD = "correct horse battery staple";
const METRICS_TOKEN = "a-token-for-metrics";

const { environment } = (
  parse(readFileSync(join(ROOT, "compose.yaml"), "utf8")) as {
    readonly services: { readonly sandpiper: { readonly environment: Readonly<Record<string, string>> } };
  }
).services.sandpiper;

/** As docs/containers.md has them made: everybody may read the files, so that the image's user can. */
async function makeSecrets(): Promise<string> {
  const folder = await makeTempFolder();
  chmodSync(folder, 0o755);
  for (const [name, text] of Object.entries({ admin_password: PASSWORD, metrics_token: METRICS_TOKEN })) {
    writeFileSync(join(folder, name), `${text}\n`, { mode: 0o444 });
  }
  return folder;
}

/** Why no container can write to a folder of this machine; null if one can. */
const whyNoBackups = process.getuid?.() === 0 ? null : "only root can give a folder to the image's user";

/** As docs/containers.md has it made. */
async function makeBackupFolder(user: string): Promise<string> {
  const folder = await makeTempFolder();
  const [uid = 0, gid = 0] = user.split(":").map(Number);
  if (whyNoBackups === null) chownSync(folder, uid, gid);
  return folder;
}

describe("the image", skippedFor(whyNoContainers()), () => {
  let image: Image;
  let container: Container;
  let mounts: Readonly<Record<string, string>> = {};
  let isStopped = false;

  const startOn = (volume: string) => image.start({ environment, mounts, volume });

  beforeAll(async () => {
    image = await buildImage();
    mounts = { "/run/secrets": await makeSecrets(), "/backup": await makeBackupFolder(image.config.user) };
    container = await startOn("data");
  }, BUILD_MS_MAX);

  afterAll(async () => {
    if (!isStopped) await container?.stop();
    await image?.remove();
    for (const folder of Object.values(mounts)) await removeFolder(folder);
  });

  /** What a script prints that Node runs in the container. */
  const evaluate = (script: string): Promise<Ended> => container.exec(["/nodejs/bin/node", "--input-type=module", "-e", script]);

  const request = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: string }> => {
    const url = `http://127.0.0.1:8000${path}`;
    const { printed } = await evaluate(
      `const response = await fetch(${JSON.stringify(url)}, ${JSON.stringify(init)});
       console.log(JSON.stringify({ status: response.status, body: await response.text() }));`,
    );
    return JSON.parse(printed) as { status: number; body: string };
  };

  const pageviews = async (): Promise<number> => {
    const login = await request("/api/auth/login", { method: "POST", body: JSON.stringify({ password: PASSWORD }) });
    const { token } = JSON.parse(login.body) as { token: string };
    const main = await request(`/api/stats/main?site_id=${SITE}`, { headers: { cookie: `svc_session=${token}` } });
    return (JSON.parse(main.body) as { total_pageviews: number }).total_pageviews;
  };

  /** Resolves when the image's health check succeeds. */
  const becomesHealthy = () => expect.poll(async () => (await container.exec(image.config.healthcheck)).code).toBe(0);

  it("a container of the image becomes healthy by its own health check", () => becomesHealthy());

  it("a container of the image counts an event", async () => {
    const event = { method: "POST", headers: browserHeaders(), body: JSON.stringify(wireEvent(SITE)) };
    expect(await request("/api/event", event)).toEqual({ status: 202, body: "" });
    expect(await pageviews()).toBe(1);
  });

  it("a container of the image reads its secrets from files", async () => {
    expect((await request("/metrics")).status).toBe(401);
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    expect(await request("/metrics", { headers })).toEqual({ status: 200, body: expect.stringContaining("svc_events") });
    expect((await request(`/api/stats/main?site_id=${SITE}`)).status).toBe(401);
  });

  it("runs as its numbered user, on a root that nobody can write to", async () => {
    const { printed } = await evaluate(
      `import { writeFileSync } from "node:fs";
       const codeOf = (folder) => { try { writeFileSync(folder + "/x", ""); } catch (error) { return error.code; } };
       console.log(process.getuid(), process.getgid(), ["/app", "/app/dist", "/tmp", "/"].map(codeOf).join());`,
    );
    expect(printed).toBe("65532 65532 EROFS,EROFS,EROFS,EROFS\n");
  });

  it("has a data folder that only its user can read", async () => {
    expect((await evaluate(`console.log((await import("node:fs")).statSync("/data").mode.toString(8))`)).printed).toBe("40700\n");
  });

  it("contains the files of the published package, and no shell", async () => {
    const { printed } = await evaluate(
      `import { readdirSync } from "node:fs"; console.log(readdirSync("/app", { recursive: true }).join("\\n"));`,
    );
    const files = printed.trim().split("\n");
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "package.json", "dist/main.js", "dist/engine.wasm"]));
    expect(files.filter((name) => /node_modules|(?<!\.d)\.ts$|^(src|test|adapters)\b/.test(name))).toEqual([]);
    expect((await container.exec(["sh", "-c", "true"])).code).not.toBe(0);
  });

  it("runs commands of the program beside the server", async () => {
    const [sandpiper = ""] = image.config.entrypoint;
    expect(await container.exec([sandpiper, "verify"])).toEqual({ code: 0, printed: expect.stringContaining("no fault") });
    expect((await container.exec([sandpiper, "--version"])).printed).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("starts no other process, so that process 1 has none to reap", async () => {
    const { printed } = await evaluate(
      `import { readdirSync, readFileSync } from "node:fs";
       const names = readdirSync("/proc/1/task").flatMap((thread) => readFileSync("/proc/1/task/" + thread + "/children", "utf8").trim());
       console.log(names.join(""), "none");`,
    );
    expect(printed).toBe(" none\n");
  });

  it("stops on its stop signal with exit code 0, and the next container of the volume serves the event", async () => {
    const ended = await container.stop();
    isStopped = true;
    expect([ended.code, ended.printed]).toEqual([0, expect.stringContaining("SIGTERM")]);
    expect(ended.printed).not.toMatch(/EROFS|EACCES|permissions/);
    container = await startOn("data");
    isStopped = false;
    await becomesHealthy();
    expect(await pageviews()).toBe(1);
  });

  it("backs up a volume in use, and restores it into a new one", skippedFor(whyNoBackups), async () => {
    const backup = await image.run(["backup", "/backup", "--keep", "14"], { environment, mounts, volume: "data" });
    expect(backup).toEqual({ code: 0, printed: expect.stringContaining("no fault") });
    await container.stop();
    isStopped = true;
    const restored = await image.run(["restore", "/backup"], { environment, mounts, volume: "restored" });
    expect(restored).toEqual({ code: 0, printed: expect.stringContaining("no fault") });
    container = await startOn("restored");
    isStopped = false;
    await becomesHealthy();
    expect(await pageviews()).toBe(1);
  });
});
