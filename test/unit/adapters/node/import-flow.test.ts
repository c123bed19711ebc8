/** The flow of the command `import`: what it prints, what it leaves, and which files of a folder it reads. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { Readable } from "node:stream";
import { folderDoor } from "../../../../adapters/node/commands/import-doors.ts";
import { withFiles } from "../../../../adapters/node/commands/import-files.ts";
import { importInto } from "../../../../adapters/node/commands/import-flow.ts";
import { createInProcessTarget } from "../../../support/in-process-target.ts";
import { createMemoryObjectStore } from "../../../support/memory-object-store.ts";
import { getMain } from "../../../support/requests.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { logLine } from "../../../support/uploads.ts";

const SITE = "site.test";

async function opened() {
  const folder = await tempFolder();
  await mkdir(join(folder, "logs/older"), { recursive: true });
  await writeFile(join(folder, "logs/access.log"), logLine("2026-02-01T10:00:00", "/a"));
  await writeFile(join(folder, "logs/older/access.log"), logLine("2026-01-31T10:00:00", "/b") + logLine("2026-01-31T11:00:00", "/b"));
  await writeFile(join(folder, "logs/notes.txt"), "nothing of interest");
  const objects = createMemoryObjectStore();
  const target = await createInProcessTarget({}, { objects });
  const { imports } = target.services;
  if (imports === null) throw new Error("there are imports in process");
  const printed: string[] = [];
  const run = (confirmed: boolean, ...names: string[]) =>
    withFiles(
      names.map((name) => (name === "-" ? name : resolve(folder, name))),
      Readable.from([Buffer.from(logLine("2026-02-03T10:00:00", "/c"))]),
      (files) =>
        importInto(folderDoor(imports), {
          ...{ site: SITE, files, hostname: null, logFormat: null },
          print: (text) => void printed.push(text),
          confirms: async () => confirmed,
        }),
    );
  return { target, folder, imports, objects, printed, run };
}

it("shows the manifest of a folder, imports it once it is confirmed, and reconciles", async () => {
  const { target, printed, run } = await opened();
  const { succeeded, text } = await run(true, "logs");
  expect(printed.join("")).toContain("3 page views and 0 other events on 2 days from 2026-01-31 to 2026-02-01\n");
  expect(printed.join("")).toContain("1 file not read:\n  - logs/notes.txt: Not in a format that Sandpiper knows.\n");
  expect({ succeeded, text }).toEqual({
    succeeded: true,
    text: "Import #1 is shown: 3 events of site.test\n  2026-01: 2 of 2 page views\n  2026-02: 1 of 1 page views\n",
  });
  expect(await getMain(target, SITE, { period: "all" })).toMatchObject({ total_pageviews: 3 });
  const again = await run(true, "logs");
  expect(again).toEqual({ succeeded: false, text: "Nothing is imported: The same files are already imported as #1.\n" });
  await target.close();
});

it("follows no link of a folder, reads no device, and prints no control characters", async () => {
  const { target, folder, printed, run } = await opened();
  await symlink("..", join(folder, "logs/up"));
  // A name that colours the terminal.
  await writeFile(join(folder, "logs/\u001b[31m.txt"), "nothing of interest");
  const { text } = await run(true, "logs");
  expect(text).toContain("3 events");
  expect(printed.join("")).toContain("2 files not read:\n  - logs/\uFFFD[31m.txt: Not in a format that Sandpiper knows.\n");
  await expect(run(true, "/dev/null")).rejects.toThrow("/dev/null is neither a file nor a folder");
  await target.close();
});

it("leaves nothing if nobody confirms, or if there is nothing to import", async () => {
  const { target, imports, objects, run } = await opened();
  expect(await run(false, "logs")).toMatchObject({ succeeded: false });
  expect(await run(true, "logs/notes.txt")).toEqual({
    succeeded: false,
    text: "Nothing is imported: Not in a format that Sandpiper knows.\n",
  });
  await expect(run(true, "missing")).rejects.toThrow("ENOENT");
  expect([imports.all, await objects.list("events"), await objects.list("imports")]).toEqual([[], [], []]);
  await target.close();
});

it("reads standard input beside files and folders", async () => {
  const { target, printed, run } = await opened();
  expect(await run(true, "-", "logs/access.log")).toEqual({
    succeeded: true,
    text: "Import #1 is shown: 2 events of site.test\n  2026-02: 2 of 2 page views\n",
  });
  expect(printed.join("")).toContain("2 page views and 0 other events on 2 days from 2026-02-01 to 2026-02-03\n");
  await target.close();
});
