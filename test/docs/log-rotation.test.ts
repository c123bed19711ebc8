/** The rotation of a log file as docs/operations.md has it: logrotate copies the file and empties it while the program runs. */
import { copyFile, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { withBuiltProgram } from "./commands.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

const blocks = codeBlocksOf(readPage("docs/operations.md")).map(({ code }) => code.trim());
const command = blocks.find((code) => code.startsWith("sandpiper >> ")) ?? "";
const logrotate = blocks.find((code) => code.startsWith("/var/log/sandpiper.log {")) ?? "";

it("a log that is copied and emptied goes on from its beginning, without a signal", async () => {
  // What the test does in the place of logrotate.
  expect(logrotate).toContain("\n    copytruncate\n");
  expect(logrotate).not.toMatch(/kill|postrotate/);
  const folder = await tempFolder();
  const log = join(folder, "sandpiper.log");
  await writeFile(log, "of an earlier run\n");
  const redirected = withBuiltProgram(command).replace("/var/log/sandpiper.log", log);
  // The test reads the address from the standard output of the shell.
  const server = await startServer({
    dataFolder: join(folder, "data"),
    command: ["bash", "-c", `tail --follow --lines +1 --pid=$$ "${log}" & exec ${redirected}`],
  });
  onTestFinished(async () => void (await server.stop()));
  // The last line of a start.
  await server.logged(/ setupCode=\S+\n/);
  await copyFile(log, join(folder, "sandpiper.log.1"));
  await truncate(log);
  expect(await server.stop()).toBe(0);
  expect(await readFile(join(folder, "sandpiper.log.1"), "utf8")).toMatch(/^of an earlier run\n.* listens on /);
  expect(await readFile(log, "utf8")).toMatch(/^\d{4}-\d\d-\d\dT.* stopping\n.* stopped\n$/);
});
