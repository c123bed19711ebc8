/** The catalogue of words: everything that readers see is in it, and each language has all of it. */
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { deLater } from "../../../dashboard/words/de-later.ts";
import { de } from "../../../dashboard/words/de.ts";
import { enLater } from "../../../dashboard/words/en-later.ts";
import { en } from "../../../dashboard/words/en.ts";
import { esLater } from "../../../dashboard/words/es-later.ts";
import { es } from "../../../dashboard/words/es.ts";
import { frLater } from "../../../dashboard/words/fr-later.ts";
import { fr } from "../../../dashboard/words/fr.ts";
import { LANGUAGES } from "../../../dashboard/words/language.ts";
import { wordsIn } from "../../support/page-words.ts";
import { sourcesBelow } from "../../support/source-files.ts";

/** Texts that look like words and are not, by the reason. A text may have a pattern of paths before it. */
const EXCEPTIONS: Readonly<Record<string, readonly RegExp[]>> = {
  "names of keys, for code": [/: (?:Enter|Escape|Home|End)$/],
  "code for the reader's own pages": [
    /^dashboard\/settings\/embed\.ts: </,
    /^dashboard\/setup\/platforms\.ts: (?:<|import)/,
    /: \("Signup"\)$/,
  ],
  "names of products": [/^dashboard\/setup\/platforms\.ts: (?:HTML|WordPress|Next\.js|SvelteKit|Google Tag Manager)$/],
  "examples of values, which no language translates": [
    /^dashboard\/settings\/(?:channel-rules|exclusions|general|pages|share-form|sources)\.tsx: (?:[a-z*/.:]|Google$)/,
    /^dashboard\/setup\/waiting\.tsx: example\.com$/,
    /^dashboard\/filters\/filter-panel\.tsx: \S+ \*$/,
  ],
  "ids of the API": [/^dashboard\/settings\/channel-rules\.tsx: Referral$/, /^dashboard\/page\/period-picker\.tsx: custom$/],
  "names of classes and fonts": [/^dashboard\/map\/world-map\.tsx: country /, /system-ui, sans-serif$/],
};

const sources = sourcesBelow("dashboard").filter(({ path }) => !path.startsWith("dashboard/words/") && path !== "dashboard/api/types.ts");

/** `kit.close`, `counts.visitor.one` */
function flat(words: object, before = ""): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([key, value]: [string, string | object]) =>
      typeof value === "string" ? [[`${before}${key}`, value] as const] : [...flat(value, `${before}${key}.`)],
    ),
  );
}

const CATALOGUES = { en: [en, enLater], de: [de, deLater], fr: [fr, frLater], es: [es, esLater] } as const;

const english = flat({ ...en, ...enLater });

/** Groups of plural forms: those with `one` and `other`. */
const plurals = [...english.keys()].filter((key) => key.endsWith(".one") && english.has(`${key.slice(0, -"one".length)}other`));
const pluralGroups = plurals.map((key) => key.slice(0, -".one".length));

const groupOf = (key: string): string | undefined =>
  pluralGroups.find((group) => key.startsWith(`${group}.`) && !key.slice(group.length + 1).includes("."));

const marksIn = (text: string): string[] => [...text.matchAll(/\{\w+\}|<\/?\w+>|`/g)].map(([mark]) => mark).sort();

/** The files that load with the first view, by static imports from its entry points. */
function firstViewFiles(): ReadonlySet<string> {
  const byPath = new Map(sources.map((source) => [source.path, source.text]));
  const found = new Set<string>();
  const visit = (path: string): void => {
    const text = byPath.get(path);
    if (text === undefined || found.has(path)) return;
    found.add(path);
    for (const [, name = ""] of text.matchAll(/^(?:import|export)(?! type)[^;]*?from "(\.[^"]+)";/gm))
      visit(posix.join(posix.dirname(path), name));
  };
  visit("dashboard/app.tsx");
  return found;
}

describe("words", () => {
  it("dashboard: everything that readers see is in the catalogue (docs/internals/dashboard.md, Words)", () => {
    const outside = sources
      .flatMap(({ path, text }) => wordsIn(text, path).map((words) => `${path}: ${words}`))
      .filter(
        (found) =>
          !Object.values(EXCEPTIONS)
            .flat()
            .some((exception) => exception.test(found)),
      );
    expect(outside).toEqual([]);
  });

  it("dashboard: the first view reads only words that load with it, those of en.ts", () => {
    const first = firstViewFiles();
    expect(first.size).toBeGreaterThan(50);
    const early = sources
      .filter(({ path }) => first.has(path))
      .flatMap(({ path, text }) => [...text.matchAll(/\bwords\.(\w+)/g)].map(([, area = ""]) => ({ path, area })))
      .filter(({ area }) => !Object.hasOwn(en, area) && Object.hasOwn(enLater, area));
    // The help's words are in functions that only the help calls.
    expect(early.filter(({ path }) => path !== "dashboard/page/keyboard.ts")).toEqual([]);
  });

  it("the two parts of a language share no area, because one would replace the other's", () => {
    expect(Object.keys(en).filter((area) => Object.hasOwn(enLater, area))).toEqual([]);
  });

  it("the test finds words in texts, attributes, properties and templates", () => {
    const code =
      'const a = <p class="two words" title={x ? "day" : `of ${b}`}>Save {c("No data")}</p>; const d = { label: "ok", id: "ab" };';
    expect(wordsIn(code, "a.tsx").sort()).toEqual(["No data", "Save", "day", "of {}", "ok"]);
  });

  describe.each(LANGUAGES)("%s", (language) => {
    const [first, later] = CATALOGUES[language];
    const words = flat({ ...first, ...later });
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;

    it("has every key of English, and none besides", () => {
      const keys = (of: ReadonlyMap<string, string>) => [...of.keys()].map((key) => groupOf(key) ?? key);
      expect([...new Set(keys(words))].sort()).toEqual([...new Set(keys(english))].sort());
      expect(Object.keys(first)).toEqual(expect.arrayContaining(Object.keys(en)));
    });

    it("has a form for each plural category of the language", () => {
      expect(pluralGroups.length).toBeGreaterThan(10);
      const missing = pluralGroups
        .flatMap((group) => categories.map((category) => `${group}.${category}`))
        .filter((key) => !words.has(key));
      expect(missing).toEqual([]);
    });

    it("has the placeholders, tags and code marks of English", () => {
      const differing = [...words].flatMap(([key, text]) => {
        const group = groupOf(key);
        // A form for one may say the number in words.
        const of = group === undefined ? english.get(key) : english.get(`${group}.${key.endsWith(".one") ? "one" : "other"}`);
        const [theirs, ours] = [marksIn(of ?? ""), marksIn(text)];
        return theirs.join(" ") === ours.join(" ") ? [] : [`${key}: ${ours.join(" ")} instead of ${theirs.join(" ")}`];
      });
      expect(differing).toEqual([]);
    });

    it("has no empty text, and no space at an end that code would have to know of", () => {
      const wrong = [...words].filter(
        ([key, text]) => text.trim() === "" || (text !== text.trim() && !/^kit\.(?:upBy|downBy|unchanged)/.test(key)),
      );
      expect(wrong).toEqual([]);
    });
  });
});
