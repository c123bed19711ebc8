/** The shell commands of the docs name what exists, and none is forgotten. `commands.test.ts` runs them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BY_HAND, COMMANDS, commandsIn, commandsOfKind, kindOf } from "./commands.ts";
import { codeBlocksOf, PAGES, readPage, ROOT } from "./pages.ts";

/** npm's own commands, beside the scripts of package.json. */
const NPM_COMMANDS = new Set(["ci", "install", "pack", "uninstall"]);

it("every command in the docs is run, checked, or listed with a reason", () => {
  expect(COMMANDS.filter((command) => kindOf(command) === "unknown")).toEqual([]);
  const documented = COMMANDS.map(({ command }) => command);
  expect(Object.keys(BY_HAND).filter((command) => !documented.includes(command))).toEqual([]);
});

it("every npm script, file and option that a command names exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
  const inText = PAGES.flatMap(({ text }) => [...text.matchAll(/`(npm [^`]+)`/g)]);
  const commands = [...commandsOfKind("npm").map(({ command }) => command), ...inText.map(([, command = ""]) => command)];
  const names = commands.flatMap((command) => [...command.matchAll(/\bnpm (?:run )?(?:-s )?([\w:-]+)/g)].map(([, name = ""]) => name));
  expect(names).toContain("test:all");
  expect(names.filter((name) => !NPM_COMMANDS.has(name) && !(name in scripts))).toEqual([]);
  const files = commands.flatMap((command) => [...command.matchAll(/npx vitest run (\S+\.ts)/g)].map(([, file = ""]) => file));
  const scriptsByHand = Object.keys(BY_HAND).flatMap((command) => [...command.matchAll(/^node (\S+)/g)].map(([, file = ""]) => file));
  expect([...files, ...scriptsByHand].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

/** Of every page, those whose commands have tests of their own included. */
const SHELL_LINES = PAGES.flatMap((page) =>
  codeBlocksOf(page)
    .filter(({ language }) => language === "sh")
    .flatMap(({ code }) => commandsIn(code).map((command) => `${page.path}: ${command}`)),
);

it("no command in the docs has a password among its arguments, which all users of a machine can list", () => {
  const withPassword = /"(?:\w+_)?password"\s*:|\bSVC_(?:ADMIN_PASSWORD|SECRET|METRICS_TOKEN|CLICKHOUSE_PASSWORD)=|--password/;
  expect(SHELL_LINES.length).toBeGreaterThan(100);
  expect(SHELL_LINES.filter((line) => withPassword.test(line))).toEqual([]);
});

it("commands that need the published package stand only below the heading that says when it is published", () => {
  const [, below = ""] = readPage("docs/installation.md").text.split("\n### From npm\n");
  const [fromNpm = ""] = below.split("\n## ");
  expect(fromNpm).toContain("is not published yet");
  const needed = /\b(?:npx|npm (?:install|i)\b[^`\n]*) sandpiper-analytics\b/g;
  expect([...fromNpm.matchAll(needed)].length).toBe(3);
  const elsewhere = PAGES.filter(({ path }) => path !== "CHANGELOG.md").flatMap(({ path, text }) =>
    [...text.replace(fromNpm, "").matchAll(needed)].map(([command]) => `${path}: ${command}`),
  );
  expect(elsewhere).toEqual([]);
});
