/** How a command line is parsed by a table of commands. The program's own table is tested with the program. */
import { describe, expect, it } from "vitest";
import {
  parseCommandLine,
  type CommandRun,
  type Commands,
  UsageError,
  type Command,
} from "../../../../../adapters/node/commands/command-line.ts";

const command = (name: string, facts: Partial<Command> = {}): Command => ({
  name,
  verb: name,
  arguments: [],
  options: [],
  help: "",
  run: () => Promise.resolve({ succeeded: true, text: "" }),
  ...facts,
});

const COMMANDS: Commands = [
  command("serve", {
    options: [
      { name: "--host", value: "address", help: "", sets: "host" },
      { name: "--port", value: "port", help: "", sets: "port" },
    ],
  }),
  command("verify", { options: [{ name: "--all-rollups", help: "" }] }),
  command("backup", { arguments: ["folder"], options: [{ name: "--keep", value: "number", help: "" }] }),
];

function parsed(...argv: string[]): Omit<CommandRun, "action" | "command"> & { readonly name: string } {
  const commandLine = parseCommandLine(argv, COMMANDS);
  if (commandLine.action !== "run") throw new Error(`It would print the ${commandLine.action}.`);
  const {
    action: _,
    command: { name },
    ...rest
  } = commandLine;
  return { name, ...rest };
}

function refusal(...argv: string[]): string {
  try {
    parseCommandLine(argv, COMMANDS);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("The command line was accepted.");
}

const NOTHING = { arguments: [], options: new Map(), settings: {}, fileName: undefined };

describe("the command line", () => {
  it("serves if no command is named", () => {
    expect(parsed()).toEqual({ ...NOTHING, name: "serve" });
    expect(parsed("serve")).toEqual({ ...NOTHING, name: "serve" });
  });

  it("takes the value of an option from the next argument or after =", () => {
    const expected = { ...NOTHING, name: "serve", settings: { port: "9000", host: "::1", data_dir: "a=b" }, fileName: "a.toml" };
    expect(parsed("--port", "9000", "--host", "::1", "--data-dir", "a=b", "--config", "a.toml")).toEqual(expected);
    expect(parsed("--port=9000", "--host=::1", "--data-dir=a=b", "--config=a.toml")).toEqual(expected);
  });

  it("accepts options before the command, after it and after its arguments", () => {
    const expected = { ...NOTHING, name: "backup", arguments: ["/copies/1"], settings: { data_dir: "/data" } };
    expect(parsed("--data-dir", "/data", "backup", "/copies/1")).toEqual(expected);
    expect(parsed("backup", "--data-dir", "/data", "/copies/1")).toEqual(expected);
    expect(parsed("backup", "/copies/1", "--data-dir=/data")).toEqual(expected);
  });

  it("accepts the options of every command with each command", () => {
    for (const {
      name,
      arguments: { length },
    } of COMMANDS) {
      const words = Array<string>(length).fill("word");
      const expected = { ...NOTHING, name, arguments: words, settings: { data_dir: "/data" }, fileName: "a.toml" };
      expect(parsed(name, ...words, "--config=a.toml", "--data-dir=/data")).toEqual(expected);
    }
  });

  it("accepts an option of a command with that command only", () => {
    expect(parsed("verify", "--all-rollups", "--config=a")).toMatchObject({ options: new Map([["--all-rollups", ""]]), fileName: "a" });
    expect(parsed("backup", "a", "--keep", "3")).toMatchObject({ options: new Map([["--keep", "3"]]), settings: {} });
    expect(refusal("--all-rollups")).toBe("serve has no option --all-rollups");
    expect(refusal("verify", "--port", "1")).toBe("verify has no option --port");
  });

  it("treats everything after -- as arguments", () => {
    expect(parsed("backup", "--", "--help")).toMatchObject({ name: "backup", arguments: ["--help"] });
  });

  it.each([
    [["--help"], null],
    [["-h"], null],
    [["help"], null],
    [["--config", "x", "-h"], null],
    [["help", "verify"], "verify"],
    [["verify", "--help"], "verify"],
    [["backup", "--help"], "backup"],
  ])("%j prints the help of the program or of the command", (argv, name) => {
    const line = parseCommandLine(argv, COMMANDS);
    expect(line.action === "help" && (line.command?.name ?? null)).toBe(name);
  });

  it.each([["--version"], ["-v"], ["verify", "--version"]])("%s %s prints the version", (...argv) => {
    expect(parseCommandLine(argv.filter(Boolean), COMMANDS)).toEqual({ action: "version" });
  });

  it.each([
    ["an unknown option", ["--prot", "1"], 'unknown option "--prot"; did you mean --port?'],
    ["an unknown option like no other", ["--verbose-output"], 'unknown option "--verbose-output"'],
    ["an option that only begins like --config", ["--configs=x"], 'unknown option "--configs"; did you mean --config?'],
    ["an option with a capital", ["--Port=1"], 'unknown option "--Port"; did you mean --port?'],
    ["an unknown short option", ["-p", "1"], 'unknown option "-p"'],
    ["a single dash as the command", ["-"], 'unknown command "-"'],
    ["an unknown command", ["verfy"], 'unknown command "verfy"; did you mean verify?'],
    ["an unknown command like no other", ["launch"], 'unknown command "launch"'],
    ["an unknown command with control characters", ["a\u001b[2J\n"], 'unknown command "a\\u001b[2J\\n"'],
    ["an option without its dashes", ["version"], 'unknown command "version"; did you mean --version?'],
    [
      "an option of the command without its dashes",
      ["verify", "all-rollups"],
      'verify takes no argument, got "all-rollups"; did you mean --all-rollups?',
    ],
    ["an empty command", [""], 'unknown command ""'],
    ["a second command", ["verify", "serve"], 'verify takes no argument, got "serve"'],
    ["a missing argument", ["backup"], "backup needs a folder"],
    ["a missing argument before an option", ["backup", "--config=a"], "backup needs a folder"],
    ["an extra argument", ["backup", "a", "b"], 'backup takes only <folder>, got "b"'],
    ["an option without its value", ["--config"], "--config needs a file"],
    ["an option with nothing after =", ["--config="], "--config needs a file"],
    ["an option with an empty value", ["--config", ""], "--config needs a file"],
    ["an option whose value begins with a vowel", ["--host"], "--host needs an address"],
    ["an option before another option", ["--config", "--help"], "--config needs a file"],
    ["an option before an option of the command", ["verify", "--config", "--all-rollups"], "--config needs a file"],
    ["a value for an option without one", ["verify", "--all-rollups=no"], '--all-rollups takes no value, got "no"'],
    ["an option given twice", ["--config=a", "--config", "b"], "--config is given twice"],
  ])("rejects %s", (_, argv, message) => {
    expect(refusal(...argv)).toBe(message);
  });
});
