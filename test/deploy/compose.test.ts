/** compose.yaml: Sandpiper and Caddy with as few rights as they need, of which only Caddy can be reached. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../docs/pages.ts";
import { imageConfig } from "../support/container.ts";
import { configOfEnvironment, limitMb, memoryMb, secretPaths } from "./environment.ts";

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly cap_add?: readonly string[];
  readonly restart: string;
  readonly mem_limit: string;
  readonly logging: { readonly driver: string };
}

interface Compose {
  readonly services: Readonly<Record<"sandpiper" | "caddy", Service>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const { services, volumes, secrets } = parse(readFileSync(join(ROOT, "compose.yaml"), "utf8"), { version: "1.1" }) as Compose;
const { sandpiper, caddy } = services;
const image = imageConfig();

describe("compose.yaml", () => {
  it("gives each service a read-only root, no privileges, a memory limit, restarts, and a rotating log", () => {
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
      expect(service.logging).toEqual({ driver: "local" });
      expect(service.restart).toBe("unless-stopped");
      expect(limitMb(service.mem_limit)).toBeGreaterThan(0);
    }
    expect([sandpiper.cap_add, caddy.cap_add]).toEqual([undefined, ["NET_BIND_SERVICE"]]);
  });

  it("publishes only ports of Caddy, which starts once Sandpiper is healthy", () => {
    expect(sandpiper.ports).toBeUndefined();
    expect(caddy.ports).toEqual(["80:80", "443:443", "443:443/udp"]);
    expect(caddy.depends_on).toEqual({ sandpiper: { condition: "service_healthy" } });
    expect(image.healthcheck.at(-1)).toBe("healthcheck");
  });

  it("sets options that the program accepts, within a memory limit that covers what it may use", () => {
    const config = configOfEnvironment(sandpiper.environment);
    expect(config.trustProxy).toBe(1);
    expect(limitMb(sandpiper.mem_limit)).toBeGreaterThanOrEqual(memoryMb(config));
  });

  it("mounts every secret that an option reads, from a file that no image and no commit includes", () => {
    expect(secretPaths(sandpiper.environment)).toEqual(sandpiper.secrets?.map((name) => `/run/secrets/${name}`));
    expect(Object.keys(secrets)).toEqual(sandpiper.secrets);
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`);
    expect(readFileSync(join(ROOT, ".gitignore"), "utf8")).toContain("\n/secrets/\n/.env\n");
  });

  it("keeps the data in named volumes, mounted at the image's data folder", () => {
    expect(sandpiper.volumes).toEqual(image.volumes.map((path) => `data:${path}`));
    const named = [...sandpiper.volumes, ...caddy.volumes].map((text) => text.split(":")[0] ?? "").filter((name) => !name.startsWith("."));
    expect(Object.keys(volumes).sort()).toEqual(named.sort());
  });

  it("mounts the Caddyfile where Caddy reads it", () => {
    const [folder = ""] = caddy.volumes.find((text) => text.endsWith(":/etc/caddy:ro"))?.split(":") ?? [];
    expect(existsSync(join(ROOT, folder, "Caddyfile"))).toBe(true);
  });
});
