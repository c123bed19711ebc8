/** The shell commands of the docs name what exists, and none is forgotten. `commands.test.ts` runs them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BY_HAND, COMMANDS, commandsOfKind, kindOf } from "./commands.ts";
import { PAGES, ROOT } from "./pages.ts";

/** npm's own commands, beside the scripts of package.json. */
const NPM_COMMANDS = new Set(["ci", "install"]);

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
