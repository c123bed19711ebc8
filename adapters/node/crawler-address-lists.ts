/** Reads the address lists of crawlers that the option `crawler_addresses` names, once. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  CRAWLER_NETWORKS_MAX,
  crawlersNamed,
  crawlerVerifier,
  networksIn,
  type VerifiesCrawler,
  VERIFIES_NONE,
} from "../../src/runtime/bots/crawler-addresses.ts";
import { ConfigError } from "../../src/runtime/base/config/config.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import { readNamedFile } from "./config-sources.ts";

/** More than ten times the largest list there is. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

const END = ".json";

const isList = (file: string): boolean => file.toLowerCase().endsWith(END);

/** Throws a ConfigError that names option and file if one cannot be read, or if its name or content is wrong. */
export function openCrawlerAddresses(folder: string | null): VerifiesCrawler {
  if (folder === null) return VERIFIES_NONE;
  const names = attempt(`cannot read the folder ${folder}`, () => readdirSync(folder)).filter(isList);
  if (names.length === 0) throw problem(`${folder} has no file <crawler>${END}`);
  const lists = new Map(names.toSorted().map((file) => [file.slice(0, -END.length), networksOfFile(join(folder, file), file)]));
  const count = [...lists.values()].reduce((sum, networks) => sum + networks.length, 0);
  if (count > CRAWLER_NETWORKS_MAX) throw problem(`${folder} has ${count} networks, and ${CRAWLER_NETWORKS_MAX} are allowed`);
  return crawlerVerifier(lists);
}

function networksOfFile(path: string, file: string) {
  if (crawlersNamed(file.slice(0, -END.length)).length === 0) throw problem(`${path} is named after no AI crawler, and no company of one`);
  const text = attempt(`cannot read ${path}`, () => new TextDecoder().decode(readNamedFile(path, FILE_BYTES_MAX)));
  return attempt(`${path} is no list of networks`, () => networksIn(text));
}

const problem = (text: string): ConfigError => new ConfigError([`crawler_addresses: ${text}`]);

function attempt<Result>(failure: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw problem(`${failure}: ${reasonOf(cause)}`);
  }
}
