/** `npm start`: builds the program if its sources have changed since the last build, then runs it. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isCurrent } from "./build-stamp.mjs";

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

if (!isCurrent(pathOf("../../dist"))) {
  const starter = process.ppid;
  // In a process of its own, so that the bundler takes no memory of the server.
  const { status } = spawnSync(process.execPath, [pathOf("build-main.mjs")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  // Whoever stopped npm during the build stopped only its shell (commands/serve.ts), and wants no server any more.
  if (process.env["npm_lifecycle_event"] !== undefined && process.ppid !== starter) process.exit(1);
}
// In this process, which gets the signals that are meant for the program.
await import(new URL("../../dist/main.js", import.meta.url).href);
