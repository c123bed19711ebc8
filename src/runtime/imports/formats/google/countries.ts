/** Codes of countries by their English names, as Google Analytics writes them. */

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Names that differ from those of the Unicode CLDR, or did before countries were renamed. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "bosnia and herzegovina": "BA",
  "cape verde": "CV",
  "cote d'ivoire": "CI",
  "czech republic": "CZ",
  "democratic republic of the congo": "CD",
  "hong kong": "HK",
  "ivory coast": "CI",
  macao: "MO",
  macau: "MO",
  "macedonia (fyrom)": "MK",
  myanmar: "MM",
  palestine: "PS",
  "republic of the congo": "CG",
  swaziland: "SZ",
  "the bahamas": "BS",
  "the gambia": "GM",
  turkey: "TR",
  turkiye: "TR",
  vatican: "VA",
};

const plain = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll("&", "and")
    .replace(/^st\.? /, "saint ")
    .trim();

/** Codes that name no country of their own, though CLDR knows them. */
const NO_COUNTRY = /^(?:EU|EZ|UN|XA|XB|ZZ|QO)$/;

function codesByName(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  const codes = new Map<string, string>();
  for (const code of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
    const name = NO_COUNTRY.test(code) ? undefined : names.of(code);
    // The code of today, for a former one such as DD.
    if (name !== undefined) codes.set(plain(name), new Intl.Locale(`und-${code}`).region ?? code);
  }
  for (const [name, code] of Object.entries(OTHER_NAMES)) codes.set(plain(name), code);
  return codes;
}

let known: ReadonlyMap<string, string> | null = null;

/** ISO 3166-1 alpha-2; null for a name that is not known. */
export function countryCodeOfName(name: string): string | null {
  known ??= codesByName();
  return known.get(plain(name)) ?? null;
}
