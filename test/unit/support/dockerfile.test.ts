/** The steps of a Dockerfile, run as commands in folders. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configOf, contextNames, parseDockerfile, runSteps } from "../../support/dockerfile.ts";
import { skippedFor } from "../../support/skipped.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const DOCKERFILE = `# A comment.
FROM tools AS build
WORKDIR /work
COPY one.txt ./
COPY . .
# A comment between two steps.
RUN cat one.txt folder/two.txt > both.txt && mkdir -m 0700 private
FROM runtime
COPY --from=build --chown=65532:65532 /work/private /data
COPY --from=build /work/both.txt /app/both.txt
USER 65532:65532
ENV A=1 \\
    B=two
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGINT
HEALTHCHECK --interval=30s CMD ["/program", "healthcheck"]
ENTRYPOINT ["/program"]
`;

/** Runs the steps over a context of three files, of which .dockerignore leaves one out. Returns the folder of all stages. */
async function runOver(dockerfile: string): Promise<string> {
  const [context, folder] = [await tempFolder(), await tempFolder()];
  mkdirSync(join(context, "folder"));
  writeFileSync(join(context, "one.txt"), "one");
  writeFileSync(join(context, "folder/two.txt"), " two");
  writeFileSync(join(context, "secret.txt"), "");
  writeFileSync(join(context, ".dockerignore"), "# All but these.\n*\n!folder\n!one.txt\n");
  runSteps(parseDockerfile(dockerfile), { context, folder, prepare: () => {} });
  return folder;
}

const isRoot = process.getuid?.() === 0;

describe("the steps of a Dockerfile", skippedFor(isRoot ? null : "only root can give files to another user"), () => {
  it("run in a folder for each stage, over the files that .dockerignore includes", async () => {
    const folder = await runOver(DOCKERFILE);
    expect(readdirSync(join(folder, "build/work")).sort()).toEqual(["both.txt", "folder", "one.txt", "private"]);
    expect(readdirSync(join(folder, "final"), { recursive: true }).sort()).toEqual(["app", "app/both.txt", "data"]);
    expect(readFileSync(join(folder, "final/app/both.txt"), "utf8")).toBe("one two");
  });

  it("copy folders with their modes, to the owner that the step names", async () => {
    const { mode, uid, gid } = statSync(join(await runOver(DOCKERFILE), "final/data"));
    expect([mode & 0o777, uid, gid]).toEqual([0o700, 65532, 65532]);
  });

  it("a step of a Dockerfile fails if a command fails", async () => {
    await expect(runOver("FROM tools\nRUN false && true\n")).rejects.toThrow("false && true");
  });

  it("fail if the context lacks a file, or .dockerignore leaves it out", async () => {
    await expect(runOver("FROM tools\nCOPY missing.txt ./\n")).rejects.toThrow(".dockerignore leaves out missing.txt");
    await expect(runOver("FROM tools\nCOPY secret.txt ./\n")).rejects.toThrow(".dockerignore leaves out secret.txt");
  });

  it("fail if one of them is not understood", async () => {
    await expect(runOver("FROM tools\nADD x y\n")).rejects.toThrow("ADD x y");
    await expect(runOver("FROM tools\nCOPY --link one.txt ./\n")).rejects.toThrow("--link");
    expect(() => parseDockerfile("RUN before any stage")).toThrow("RUN before any stage");
  });
});

describe("the settings of a stage", () => {
  it("are those of its instructions", () => {
    const [, final] = parseDockerfile(DOCKERFILE);
    expect(final && configOf(final)).toEqual({
      env: { PATH: expect.stringContaining("/usr/local/bin") as unknown, A: "1", B: "two" },
      user: "65532:65532",
      entrypoint: ["/program"],
      healthcheck: ["/program", "healthcheck"],
      stopSignal: "SIGINT",
      volumes: ["/data"],
      ports: [8000],
    });
  });
});

describe(".dockerignore", () => {
  it("includes only the names that it lists, and may have no other form", () => {
    expect(contextNames("*\n!src\n!.npmrc\n")).toEqual(["src", ".npmrc"]);
    expect(() => contextNames("node_modules\n")).toThrow("no list of names");
    expect(() => contextNames("*\n!src/**\n")).toThrow("no list of names");
  });
});
