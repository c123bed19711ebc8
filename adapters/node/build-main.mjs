/** `npm run build`: says that it builds, and bundles the program into `dist/`. If it cannot, it says in one sentence what to do. */

/** Advice for the operator about an error; undefined if it is a fault of the sources. @param {NodeJS.ErrnoException} error */
function remedyOf({ code = "", message }) {
  if (code.endsWith("MODULE_NOT_FOUND")) return "the packages that build it are not installed: run `npm ci`, then `npm run build`";
  if (["EACCES", "EPERM", "EROFS"].includes(code)) return `its folder cannot be written (${message}): run \`npm run build\` as its owner`;
  return undefined;
}

try {
  // Here, so that missing packages can be reported.
  const { buildProgram } = await import("./build.mjs");
  // On the standard error: the output of `npm start` and `npm pack` is that of the program, and the name of the packed file.
  process.stderr.write("Building Sandpiper. This takes some seconds.\n");
  await buildProgram("dist");
} catch (error) {
  const remedy = remedyOf(/** @type {Error} */ (error));
  if (remedy === undefined) throw error;
  process.stderr.write(`Sandpiper is not built from the current sources, and ${remedy}.\n`);
  process.exitCode = 1;
}
