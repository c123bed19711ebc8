/** The workflow files are valid, run commands that exist, and are allowed as little as possible. The linter is that of the forge. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { describe, expect, it } from "vitest";
import { readPage, ROOT } from "./pages.ts";

const FOLDER = join(ROOT, ".github/workflows");

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

const WORKFLOWS = readdirSync(FOLDER).map((name) => ({ name, content: readFileSync(join(FOLDER, name), "utf8") }));

/** What the linter says: errors of syntax, unknown keys, wrong types, unknown contexts of expressions. */
async function problemsIn(file: { readonly name: string; readonly content: string }): Promise<string[]> {
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  const ofSyntax = context.errors.getErrors().map(({ message }) => message);
  if (!value) return ofSyntax;
  const { errors = [] } = await convertWorkflowTemplate(context, value);
  return [...ofSyntax, ...errors.map(({ Message }) => Message)];
}

/** Every value of a key that stands on one line. */
const valuesOf = (content: string, key: string): string[] =>
  [...content.matchAll(new RegExp(`^ *(?:- )?${key}: (.+)$`, "gm"))].map(([, value = ""]) => value);

it("there are workflows for changes and for the night", () => {
  expect(WORKFLOWS.map(({ name }) => name)).toEqual(["ci.yml", "nightly.yml"]);
});

describe.each(WORKFLOWS)("$name", (workflow) => {
  const { content } = workflow;

  it("passes the linter", async () => {
    expect(await problemsIn(workflow)).toEqual([]);
  });

  it("runs npm scripts that exist", () => {
    const names = valuesOf(content, "run").flatMap((command) => /^npm (?:run )?([\w:-]+)$/.exec(command)?.[1] ?? []);
    expect(names).toContain("ci");
    expect(names.filter((name) => name !== "ci" && !(name in manifest.scripts))).toEqual([]);
    const others = valuesOf(content, "run").filter((command) => !command.startsWith("npm "));
    expect(others.filter((command) => !command.startsWith("sudo apt-get "))).toEqual([]);
  });

  it("pins every action to a commit, with its version beside it", () => {
    const uses = valuesOf(content, "uses");
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it("may read the repository and nothing else, and hands its token to no step", () => {
    expect(content.match(/^.*permissions:(?:\n +.+)*/gm)).toEqual(["permissions:\n  contents: read"]);
    expect(content).not.toContain("secrets.");
    expect(valuesOf(content, "persist-credentials")).toEqual(
      valuesOf(content, "uses")
        .filter((action) => action.includes("checkout"))
        .map(() => "false"),
    );
  });

  it("has a limit of time for every job, one for concurrent runs, and a cache of packages", () => {
    const jobs = content.split(/^jobs:$/m)[1]?.match(/^ {2}[\w-]+:$/gm) ?? [];
    expect(valuesOf(content, "timeout-minutes")).toHaveLength(jobs.length);
    expect(valuesOf(content, "cache")).toEqual(jobs.map(() => "npm"));
    expect(valuesOf(content, "group")).toHaveLength(1);
  });
});

it("changes are tested on every line of Node that package.json names, and on newer ones", () => {
  const [lines = ""] = valuesOf(WORKFLOWS[0]?.content ?? "", "node");
  const supported = [...manifest.engines.node.matchAll(/(?:\^|>=)(\d+)/g)].map(([, major]) => Number(major));
  expect((JSON.parse(lines) as number[]).slice(0, supported.length)).toEqual(supported);
});

it("the table of platforms in docs/installation.md has the machine and the lines of Node that changes are tested on", () => {
  const { content = "" } = WORKFLOWS[0] ?? {};
  const lines = (JSON.parse(valuesOf(content, "node")[0] ?? "[]") as number[]).map(String);
  const [, os = ""] = /runs-on: ubuntu-(\S+)/.exec(content) ?? [];
  const versions = `${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`;
  expect(readPage("docs/installation.md").text).toContain(`Tested on every change, on Ubuntu ${os} with Node ${versions}.`);
});

describe("the linter", () => {
  const [{ content } = { content: "" }] = WORKFLOWS;

  it.each<[string, string, string]>([
    ["an unknown key", "timeout-minutes", "timeout-minuts"],
    ["an unknown context", "matrix.node }}", "matrx.node }}"],
    ["a job without a machine", "    runs-on: ubuntu-24.04\n", ""],
    ["a schedule that is none", "  pull_request:", '  schedule:\n    - cron: "61 * * *"'],
  ])("finds %s", async (_fault, right, wrong) => {
    expect(content).toContain(right);
    expect(await problemsIn({ name: "ci.yml", content: content.replace(right, wrong) })).not.toEqual([]);
  });
});
