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

describe("docs/command-line.md", () => {
  let names: string[];
  beforeAll(async () => {
    const { stdout } = await runProgram(["--help"]);
    names = [...stdout.matchAll(/^ {2}(\S.*?) {2,}/gm)].map(([, name = ""]) => name);
  });

  it("has a row for each command", () => {
    const commands = names.filter((name) => !name.startsWith("-"));
    expect(commands.length).toBeGreaterThan(3);
    expect(firstColumn("Commands").map((name) => name.replace("sandpiper ", ""))).toEqual(commands);
  });

  it("has a row for each option", () => {
    const options = names.filter((name) => name.startsWith("-"));
    expect(options.length).toBeGreaterThan(3);
    expect(firstColumn("Options").sort()).toEqual(options.sort());
  });
});
