/** GoatCounter: its JSON archive, which has sums of first views per path and visit (version 1 of the export). */
import { utcDateOf } from "../../../storage/event.ts";
import { TimeZone } from "../../../storage/time-zone.ts";
import { IMPORT_JOIN_BYTES } from "../../base/config/limits.ts";
import type { DayCounts, DayDimension, DayTable, Row } from "../rows.ts";
import type { ImportContext, Recognition, Refusal } from "./format.ts";
import { type Opening, UnreadableFile } from "../files/file.ts";
import { firstItemOf, type JsonObject, readJson, textIn } from "../files/json-items.ts";
import { badRow } from "../files/text.ts";
import {
  browserFrom,
  countryFrom,
  dateFault,
  dateOf,
  orNull,
  osFrom,
  parseCount,
  parseTimestamp,
  pathFrom,
  referrerFrom,
  urlParts,
} from "./values.ts";

const PRODUCT = "GoatCounter";

const isInfo = (opening: Opening): boolean =>
  /(?:^|\/)info\.json$/.test(opening.file.path) && "goatcounter_version" in (firstItemOf(opening) ?? {});

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Files of sums that are read; those of languages and of screens have no counterpart. */
const STATS = ["hit_stats", "browser_stats", "system_stats", "location_stats"] as const;

type Stats = (typeof STATS)[number];

/** Files in which ids are looked up. */
const NAMES = ["paths", "refs", "browsers", "systems"] as const;

const IGNORED: Readonly<Record<string, string>> = {
  "info.json": "It says who made the archive, and when.",
  "languages.jsonl": "Languages are not recorded here.",
  "language_stats.jsonl": "Languages are not recorded here.",
  "locations.jsonl": "Names of countries and regions are known.",
  "size_stats.jsonl": "Widths of screens are not types of devices.",
  "campaign_stats.jsonl": "Campaigns are not joint with their pages' referrers.",
  "campaigns.jsonl": "Campaigns are not joint with their pages' referrers.",
};

/** What there is of archives among the files, if anything. */
export function archivesIn(openings: readonly Opening[], format: string, context: ImportContext): readonly (Recognition | Refusal)[] {
  const infos = openings.filter(isInfo);
  const [info, ...others] = infos;
  if (info === undefined) return [];
  const folders = new Set(infos.map(({ file }) => folderOf(file.path)));
  const files = openings.filter(({ file }) => folders.has(folderOf(file.path)) && isOfArchive(baseName(file.path)));
  if (others.length > 0) {
    const advice = "Give one archive: a later one repeats the last day of the one before. An archive of the whole time has everything.";
    return [{ format, product: PRODUCT, paths: files.map(({ file }) => file.path), advice }];
  }
  return [recognition(files, format, context)];
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const isOfArchive = (name: string): boolean => name in IGNORED || [...STATS, ...NAMES].some((own) => name === `${own}.jsonl`);

function recognition(openings: readonly Opening[], format: string, context: ImportContext): Recognition {
  const byName = new Map(openings.map((opening) => [baseName(opening.file.path), opening]));
  const names = NAMES.flatMap((name) => byName.get(`${name}.jsonl`) ?? []);
  const ignored = openings.flatMap(({ file: { path } }) => {
    const reason = IGNORED[baseName(path)];
    return reason === undefined ? [] : [{ path, reason }];
  });
  return {
    format,
    product: PRODUCT,
    generation: "JSON archive (since December 2025)",
    rows: "days",
    lacksVisitors: true,
    files: STATS.flatMap((stats) => {
      const opening = byName.get(`${stats}.jsonl`);
      return opening ? [{ path: opening.file.path, read: () => readStats(stats, opening, byName, context) }] : [];
    }),
    ignored: [...ignored, ...names.map(({ file }) => ({ path: file.path, reason: "Its names are looked up." }))],
    timeZone: {
      name: context.timeZone,
      reason: "Hours in UTC are counted to the days of the site. Browsers, systems and countries are of days in UTC.",
    },
    lost: [
      "Visitors, visits, bounces and durations: the archive has views only, the first of each path and visit.",
      "Widths of screens, languages, and titles of pages.",
    ],
  };
}

type Names = ReadonlyMap<string, JsonObject>;

/** Memory of an entry beside the text of its line. */
const ENTRY_BYTES = 400;

async function namesIn(opening: Opening | undefined): Promise<Names> {
  const names = new Map<string, JsonObject>();
  let bytes = 0;
  if (opening === undefined) return names;
  const keep = (object: JsonObject): readonly Row[] => {
    bytes += ENTRY_BYTES + 2 * (textIn(object, "path").length + textIn(object, "ref").length);
    if (bytes > IMPORT_JOIN_BYTES) throw new UnreadableFile(`${opening.file.path} has too many names to be looked up.`);
    names.set(textIn(object, "id"), object);
    return [];
  };
  for await (const rows of readJson(opening, keep)) if (rows.length > 0) throw new UnreadableFile(`${opening.file.path} is damaged.`);
  return names;
}

async function* readStats(
  stats: Stats,
  opening: Opening,
  byName: ReadonlyMap<string, Opening>,
  { nowMs, timeZone }: ImportContext,
): AsyncGenerator<readonly Row[]> {
  const paths = await namesIn(byName.get("paths.jsonl"));
  const others = await namesIn(byName.get(LOOKED_UP[stats]));
  const zone = TimeZone.named(timeZone);
  yield* readJson(opening, (object, line) => {
    const read = (name: string): string => textIn(object, name);
    const count = parseCount(read("count"));
    if (typeof count === "string") return [badRow(line, count, read("count"), "count")];
    const path = paths.get(read("path_id"));
    if (path === undefined) return [badRow(line, "missing_value", read("path_id"), "path_id")];
    const isEvent = path["event"] === true;
    const row = (
      date: ReturnType<typeof dateOf>,
      table: DayTable,
      values: Partial<Record<DayDimension, string | null>>,
      counts: DayCounts,
    ): Row => ({
      kind: "day",
      line,
      date,
      table,
      values,
      counts,
    });
    if (stats !== "hit_stats") {
      const fault = dateFault(read("day"), nowMs);
      if (fault) return [badRow(line, fault, read("day"), "day")];
      if (isEvent) return [{ kind: "left out", line, reason: "unsupported_report" }];
      const [table, values] = valuesOf(stats, object, others);
      return [row(dateOf(read("day")), table, values, { pageviews: count })];
    }
    const atMs = parseTimestamp(read("hour"), nowMs);
    if (typeof atMs === "string") return [badRow(line, atMs, read("hour"), "hour")];
    const date = utcDateOf(atMs + (zone?.offsetAt(atMs) ?? 0));
    const name = textIn(path, "path");
    if (isEvent) return [row(date, "events", { eventName: name, linkUrl: null }, { events: count })];
    const pageviews = { pageviews: count };
    const ref = others.get(read("ref_id")) ?? {};
    return [
      row(date, "totals", {}, pageviews),
      row(date, "pages", { pathname: pathFrom(name) }, pageviews),
      row(date, "sources", originOf(textIn(ref, "ref"), textIn(ref, "ref_scheme")), pageviews),
    ];
  });
}

const LOOKED_UP: Readonly<Record<Stats, string>> = {
  hit_stats: "refs.jsonl",
  browser_stats: "browsers.jsonl",
  system_stats: "systems.jsonl",
  location_stats: "",
};

function valuesOf(
  stats: Exclude<Stats, "hit_stats">,
  object: JsonObject,
  names: Names,
): readonly [table: DayTable, values: Partial<Record<DayDimension, string | null>>] {
  if (stats === "location_stats") {
    const location = textIn(object, "location");
    const [country = "", region] = location.split("-", 2);
    return ["locations", { countryCode: countryFrom(country), region: region === undefined ? null : location }];
  }
  const named = names.get(textIn(object, stats === "browser_stats" ? "browser_id" : "system_id")) ?? {};
  const [name, version] = [textIn(named, "name"), textIn(named, "version")];
  return stats === "browser_stats" ? ["browsers", browserFrom(name, version)] : ["operating-systems", osFrom(name, version)];
}

/** Referrers as in the CSV: by scheme an address, a name, a campaign, or something else. */
function originOf(ref: string, scheme: string): Partial<Record<DayDimension, string | null>> {
  const text = orNull(ref);
  const [isAddress, isNamed, isCampaign] = [scheme === "h", scheme === "g", scheme === "c"];
  return {
    referrerSource: isNamed ? text : isAddress ? (urlParts(referrerFrom(ref) ?? "")?.hostname ?? null) : null,
    referrer: text !== null && isAddress ? referrerFrom(text) : null,
    utmCampaign: isCampaign ? text : null,
  };
}
