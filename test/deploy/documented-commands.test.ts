/** The commands of docs/containers.md that need Docker have arguments that fit the program, compose.yaml and the image. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { COMMANDS } from "../docs/commands.ts";
import { ROOT } from "../docs/pages.ts";
import { MAIN_PATH } from "../support/built.ts";
import { imageConfig } from "../support/container.ts";
import { skippedFor } from "../support/skipped.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { configOfEnvironment, limitMb, memoryMb } from "./environment.ts";

const commands = COMMANDS.filter(({ page }) => page === "docs/containers.md").map(({ command }) => command);
const { services, secrets } = parse(readFileSync(join(ROOT, "compose.yaml"), "utf8")) as {
  readonly services: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
};
const image = imageConfig();

/** The program's exit code for arguments that it does not know. */
const USAGE_ERROR = 2;

/** The option's values in a command. */
const valuesOf = (command: string, option: string): string[] =>
  [...command.matchAll(new RegExp(` --${option} (\\S+)`, "g"))].map(([, value = ""]) => value);

const hasOpenssl = spawnSync("openssl", ["version"]).error === undefined;

describe("the commands of docs/containers.md", () => {
  it("pass arguments that the program knows", async () => {
    const known = commands.flatMap((command) => [...command.matchAll(/ sandpiper ((?:backup|verify|restore|reset-password).*)$/g)]);
    expect(known.length).toBeGreaterThan(3);
    for (const [, text = ""] of known) {
      const words = text.replace("/backup", await tempFolder()).split(" ");
      const env = { SVC_DATA_DIR: await tempFolder() };
      const { status, stderr } = spawnSync(process.execPath, [MAIN_PATH, ...words], { env, encoding: "utf8" });
      expect([text, stderr, status]).not.toEqual([text, stderr, USAGE_ERROR]);
    }
  });

  it("name services of compose.yaml", () => {
    const named = commands.flatMap((command) => [...command.matchAll(/^docker compose (?:exec|run|logs|restart|stop) (.*)$/g)]);
    expect(named.length).toBeGreaterThan(2);
    for (const [command, words = ""] of named) {
      expect([command, words.split(" ").some((word) => word in services)]).toEqual([command, true]);
    }
  });

  it("run the image alone with its data folder in a volume, and with as much memory as it may use", () => {
    const [run = ""] = commands.filter((command) => command.startsWith("docker run "));
    const config = configOfEnvironment(Object.fromEntries(valuesOf(run, "env").map((text) => text.split("=") as [string, string])));
    expect(limitMb(valuesOf(run, "memory")[0] ?? "")).toBeGreaterThanOrEqual(memoryMb(config));
    expect(valuesOf(run, "volume")).toEqual(image.volumes.map((path) => `sandpiper:${path}`));
    expect(valuesOf(run, "publish")).toEqual(image.ports.map((port) => `127.0.0.1:8000:${port}`));
  });

  it("give folders of the host to the image's user", () => {
    const installs = commands.filter((command) => command.startsWith("install "));
    expect(installs.length).toBeGreaterThan(0);
    const [uid, gid] = image.user.split(":");
    for (const command of installs) expect(command).toContain(`-m 0700 -o ${uid} -g ${gid} /`);
  });

  it(
    "write the domain and secrets in the format that compose.yaml reads",
    skippedFor(hasOpenssl ? null : "no openssl on this machine"),
    async () => {
      const folder = await tempFolder();
      const from = commands.findIndex((command) => command.startsWith("echo DOMAIN="));
      const to = commands.findIndex((command) => command.startsWith("docker compose up"));
      execFileSync("bash", ["-ec", commands.slice(from, to).join("\n")], { cwd: folder });
      expect(readFileSync(join(folder, ".env"), "utf8")).toBe("DOMAIN=stats.example.com\n");
      expect(statSync(join(folder, "secrets")).mode & 0o777).toBe(0o700);
      expect(readdirSync(join(folder, "secrets")).sort()).toEqual(Object.keys(secrets).sort());
      for (const name of Object.keys(secrets)) {
        const path = join(folder, "secrets", name);
        expect([name, statSync(path).mode & 0o777]).toEqual([name, 0o444]);
        configOfEnvironment({ [`SVC_${name.toUpperCase()}`]: readFileSync(path, "utf8").trim() });
      }
    },
  );
});
