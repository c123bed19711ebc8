/** deploy/kubernetes.yaml: one pod with few rights, which agrees with the image and with the program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { ROOT } from "../docs/pages.ts";
import { imageConfig } from "../support/container.ts";
import { configOfEnvironment, limitMb, memoryMb, secretPaths } from "./environment.ts";

interface Named {
  readonly name: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Pod {
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly [
    {
      readonly env: readonly (Named & { readonly value: string })[];
      readonly ports: readonly (Named & { readonly containerPort: number })[];
      readonly securityContext: unknown;
      readonly resources: { readonly limits: { readonly memory: string } };
      readonly volumeMounts: readonly (Named & { readonly mountPath: string })[];
      readonly startupProbe: Probe;
      readonly livenessProbe: Probe;
      readonly readinessProbe: Probe;
    },
  ];
  readonly volumes: readonly (Named & { readonly secret: { readonly secretName: string; readonly defaultMode: number } })[];
}

interface StatefulSet {
  readonly replicas: number;
  readonly serviceName: string;
  readonly selector: { readonly matchLabels: unknown };
  readonly template: { readonly metadata: { readonly labels: unknown }; readonly spec: Pod };
  readonly volumeClaimTemplates: readonly [{ readonly metadata: Named; readonly spec: { readonly accessModes: readonly string[] } }];
}

interface Service {
  readonly selector?: unknown;
  readonly ports: readonly (Named & { readonly targetPort?: string })[];
}

interface IngressPath {
  readonly path: string;
  readonly pathType: string;
  readonly backend: { readonly service: { readonly name: string; readonly port: Named } };
}

interface Resource {
  readonly kind: string;
  readonly metadata: Named;
  readonly spec: unknown;
  readonly stringData?: Readonly<Record<string, string>>;
}

/** Kubernetes reads YAML 1.1 in part, where 0440 is octal; 1.2 reads it as decimal. The file has to mean the same in both. */
const resourcesOf = (version: "1.1" | "1.2"): Resource[] =>
  parseAllDocuments(readFileSync(join(ROOT, "deploy/kubernetes.yaml"), "utf8"), { version }).map((document) => document.toJS() as Resource);

const resources = resourcesOf("1.2");

/** The resource of this kind and name. */
function resource(kind: string, name = "sandpiper"): Resource {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`deploy/kubernetes.yaml has no ${kind} ${name}`);
  return found;
}

const image = imageConfig();
const statefulSet = resource("StatefulSet").spec as StatefulSet;
const pod = statefulSet.template.spec;
const [container] = pod.containers;
const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const service = resource("Service").spec as Service;

describe("deploy/kubernetes.yaml", () => {
  it("means the same in YAML 1.1 and 1.2", () => {
    expect(resourcesOf("1.1")).toEqual(resources);
  });

  it("runs one pod with a volume of its own at the image's data folder", () => {
    expect(statefulSet.replicas).toBe(1);
    const [{ metadata, spec }] = statefulSet.volumeClaimTemplates;
    expect(spec.accessModes).toEqual(["ReadWriteOnce"]);
    expect(container.volumeMounts.find(({ name }) => name === metadata.name)?.mountPath).toBe(image.volumes[0]);
  });

  it("runs the pod as the image's user, with a read-only root, no capabilities, and no variables of services", () => {
    const [uid, gid] = image.user.split(":").map(Number);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: uid, runAsGroup: gid, fsGroup: gid });
    expect(pod.securityContext["seccompProfile"]).toEqual({ type: "RuntimeDefault" });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod.enableServiceLinks).toBe(false);
  });

  it("sets options that the program accepts, within a memory limit that covers what it may use", () => {
    const config = configOfEnvironment(environment);
    expect(config.trustProxy).toBe(1);
    expect(limitMb(container.resources.limits.memory)).toBeGreaterThanOrEqual(memoryMb(config));
  });

  it("mounts the secrets as files that the options name", () => {
    const [volume] = pod.volumes;
    const folder = container.volumeMounts.find(({ name }) => name === volume?.name)?.mountPath;
    const names = Object.keys(resource("Secret", volume?.secret.secretName).stringData ?? {});
    expect(secretPaths(environment)).toEqual(names.map((name) => `${folder}/${name}`));
    expect(volume?.secret.defaultMode).toBe(0o440);
  });

  it("contains a Secret whose values must be replaced: the program refuses them", () => {
    const { admin_password: password = "", metrics_token: token = "" } = resource("Secret").stringData ?? {};
    for (const values of [{ SVC_ADMIN_PASSWORD: password }, { SVC_METRICS_TOKEN: token }]) {
      expect(() => configOfEnvironment(values)).toThrow("The configuration has a problem");
    }
  });

  it("probes the port of the image", () => {
    expect(container.ports).toEqual([{ name: "http", containerPort: image.ports[0] }]);
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(probe.httpGet).toEqual({ path: "/health", port: "http" });
    }
  });

  it("selects the pod by its labels", () => {
    for (const labels of [statefulSet.selector.matchLabels, service.selector]) expect(labels).toEqual(statefulSet.template.metadata.labels);
    expect(resource("Service", statefulSet.serviceName).spec).toBe(service);
    expect(service.ports).toEqual([expect.objectContaining({ name: "http", targetPort: "http" })]);
  });

  it("routes metrics and details to a service without pods, and everything else to the program", () => {
    const { rules } = resource("Ingress").spec as {
      readonly rules: readonly [{ readonly http: { readonly paths: readonly IngressPath[] } }];
    };
    const { paths } = rules[0].http;
    expect(paths.map(({ path, pathType, backend }) => [path, pathType, backend.service.name])).toEqual([
      ["/metrics", "Prefix", "sandpiper-nowhere"],
      ["/health/detailed", "Prefix", "sandpiper-nowhere"],
      ["/", "Prefix", "sandpiper"],
    ]);
    const nowhere = resource("Service", "sandpiper-nowhere").spec as Service;
    expect(nowhere.selector).toBeUndefined();
    for (const { backend } of paths) expect(backend.service.port).toEqual({ name: "http" });
  });
});
