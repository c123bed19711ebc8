/** Address lists of crawlers in a folder, and what is said about those that cannot be read. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCrawlerAddresses } from "../../../../adapters/node/crawler-address-lists.ts";
import { CRAWLER_NETWORKS_MAX } from "../../../../src/runtime/bots/crawler-addresses.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const listOf = (...networks: string[]): string => JSON.stringify({ prefixes: networks.map((ipv4Prefix) => ({ ipv4Prefix })) });

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

describe("a folder of address lists", () => {
  it("has a list for each crawler or operator, in any case", async () => {
    const folder = await folderOf({
      "gptbot.json": listOf("192.0.2.0/28"),
      // Some editors begin a file with a mark of its encoding.
      "CLAUDEBOT.JSON": `\uFEFF${listOf("203.0.113.0/24")}`,
      "Anthropic.json": listOf("198.51.100.0/24"),
      "README.md": "Fetched once a week.",
    });
    const verifies = openCrawlerAddresses(folder);
    expect([verifies("GPTBot", "192.0.2.1"), verifies("ClaudeBot", "203.0.113.1")]).toEqual([true, true]);
    expect(verifies("ClaudeBot", "198.51.100.1")).toBe(true);
    expect([verifies("GPTBot", "198.51.100.1"), verifies("ClaudeBot", "192.0.2.1")]).toEqual([false, false]);
  });

  it("fails the start with the option, the file and the reason", async () => {
    const failure = async (files: Readonly<Record<string, string>>): Promise<string> => {
      const folder = await folderOf(files);
      try {
        openCrawlerAddresses(folder);
        return "";
      } catch (error) {
        return String(error).replaceAll(folder, "<folder>");
      }
    };
    expect(await failure({ "notes.txt": "" })).toContain("crawler_addresses: <folder> has no file <crawler>.json");
    expect(await failure({ "searchbot.json": listOf("192.0.2.1") })).toContain(
      "<folder>/searchbot.json is named after no AI crawler, and no company of one",
    );
    expect(await failure({ "GPTBot.json": "{" })).toContain("<folder>/GPTBot.json is no list of networks: it must have the form");
    expect(await failure({ "GPTBot.json": listOf("192.0.2.0/99") })).toContain('"192.0.2.0/99" is no network');
    const half = Array.from({ length: CRAWLER_NETWORKS_MAX / 2 + 1 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect(await failure({ "GPTBot.json": listOf(...half), "ClaudeBot.json": listOf(...half) })).toContain("and 50000 are allowed");
    const folder = await tempFolder();
    await mkdir(join(folder, "GPTBot.json"));
    expect(() => openCrawlerAddresses(folder)).toThrow("crawler_addresses: cannot read");
    expect(() => openCrawlerAddresses(join(folder, "none"))).toThrow("crawler_addresses: cannot read the folder");
  });

  it("is not needed", () => {
    expect(openCrawlerAddresses(null)("GPTBot", "192.0.2.1")).toBe(false);
  });
});
