/** The page of the command line names the commands and options of the program's own help, and no others. */
import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../support/run-process.ts";
import { readPage } from "./pages.ts";

const { text } = readPage("docs/command-line.md");

/** The first column of the table below a heading. */
function firstColumn(heading: string): string[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = ""]) => cell.replaceAll("`", ""));
}

/** Names that the help of the program, or of a command, explains. */
async function explainedBy(...argv: readonly string[]): Promise<string[]> {
  const { stdout } = await runProgram([...argv, "--help"]);
  return [...stdout.matchAll(/^ {2}(\S.*?) {2,}/gm)].map(([, name = ""]) => name);
}

describe("docs/command-line.md", () => {
  let names: string[];
  let commands: string[];
  beforeAll(async () => {
    names = await explainedBy();
    commands = names.filter((name) => !name.startsWith("-"));
  });

  it("has a row for each command", () => {
    expect(commands.length).toBeGreaterThan(3);
    expect(firstColumn("Commands").map((name) => name.replace("sandpiper ", ""))).toEqual(commands);
  });

  it("has a row for each option", async () => {
    const ofCommands = await Promise.all(commands.map((command) => explainedBy(command.split(" ")[0] ?? "")));
    const options = new Set([...names, ...ofCommands.flat()].filter((name) => name.startsWith("-")));
    expect(options.size).toBeGreaterThan(3);
    expect(firstColumn("Options").sort()).toEqual([...options].sort());
  });
});
