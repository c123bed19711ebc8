/** The packages in the built files, and the notice that their licenses demand. A license that is not allowed fails the build. */
import { readFile, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** Licenses (SPDX) that permit redistribution in a bundle together with their notice. MPL and GPL require more. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1", "Unlicense"];

/** Packages whose data the builds read themselves: no metafile names them. */
const DATA_PACKAGES = [
  "@fontsource/newsreader",
  "@ip-location-db/geo-whois-asn-country-mmdb",
  "circle-flags",
  "i18n-iso-countries",
  "simple-icons",
  "world-atlas",
];

/** The part of a path up to the innermost package. */
const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

/** Names of the files that the notice repeats: LICENSE.txt, license.md, NRO_LICENSE, NOTICE.txt. */
const NOTICE_FILE = /licen[cs]e|^notice|^copying/i;

const HEAD = `Sandpiper contains these packages, each under its own license.

The country database has data of the Number Resource Organization (https://www.nro.net), licensed under CC BY 4.0.
`;

const RULE = "-".repeat(80);

/** The text of the license for packages that ship no file with it. @param {string} holder */
const mitText = (holder) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** The text of the ISC license, likewise. @param {string} holder */
const iscText = (holder) => `ISC License

Copyright (c) ${holder}

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided
that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;

const STANDARD_TEXTS = { MIT: mitText, ISC: iscText };

/** @param {{ name: string, license: string, author?: string | { name?: string } }} manifest */
function standardText({ name, license, author }) {
  const text = license === "MIT" || license === "ISC" ? STANDARD_TEXTS[license] : null;
  if (text === null) throw new Error(`${name} has no file with the text of its license (${license})`);
  const holder = typeof author === "string" ? author : author?.name;
  return text(holder || `the contributors of ${name}`);
}

/** @param {string} folder of a package */
async function noticeOf(folder) {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { name, version, license } = manifest;
  if (!ALLOWED.includes(license)) {
    throw new Error(
      `${name} ${version} is in a built file, but its license (${license ?? "none"}) is not in ALLOWED of adapters/licenses.mjs`,
    );
  }
  const files = (await readdir(folder)).filter((file) => NOTICE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  if (texts.length === 0) texts.push(standardText(manifest));
  return `${RULE}\n${name} ${version} (${license})\n${RULE}\n\n${texts.map((text) => text.trim()).join("\n\n")}\n`;
}

export class BundledLicenses {
  #folders = new Set(DATA_PACKAGES.map((name) => join(MODULES, name)));

  /** @param {string} path of a file that has bytes in an output */
  #record(path) {
    const [folder] = PACKAGE_FOLDER.exec(path) ?? [];
    if (folder !== undefined) this.#folders.add(folder);
  }

  /** Records the packages of a build that have bytes in its output. @type {import("esbuild").Plugin} */
  plugin = {
    name: "bundled-licenses",
    setup: ({ initialOptions, onEnd }) => {
      initialOptions.metafile = true;
      onEnd(({ metafile }) => {
        for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
          for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
            if (bytesInOutput > 0) this.#record(resolve(initialOptions.absWorkingDir ?? ".", path));
          }
        }
      });
    },
  };

  /** Records those of a build of rolldown. @type {import("rolldown").Plugin} */
  scriptsPlugin = {
    name: "bundled-licenses",
    generateBundle: (_options, bundle) => {
      for (const output of Object.values(bundle)) {
        if (output.type !== "chunk") continue;
        for (const [path, { renderedLength }] of Object.entries(output.modules)) if (renderedLength > 0) this.#record(path);
      }
    },
  };

  /** The notice of all packages. Throws if the license of one is not allowed or has no text. */
  async notice() {
    const notices = await Promise.all([...this.#folders].sort().map(noticeOf));
    return [HEAD, ...notices].join("\n");
  }
}
