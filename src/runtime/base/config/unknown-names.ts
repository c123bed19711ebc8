/** Reports unknown keys and variables with the known name that the operator most likely meant. */
import { ENVIRONMENT_PREFIX } from "../../../shared/names.ts";
import { FILE_VARIABLE } from "./names.ts";
import { quote } from "./option-kinds.ts";
import { fileVariableOf, isOptionName, OPTION_NAMES, SECRET_OPTION_NAMES, variableOf } from "./options.ts";

/** A name this many edits away is another word, not a typo. */
const EDITS_MAX = 3;

/** One edit is forgiven for this many letters, so that short names are not confused with one another. */
const LETTERS_PER_EDIT = 3;

/** Problems, because a misspelt key in a file is a mistake. */
export function unknownKeys(file: Readonly<Record<string, unknown>>, fileName: string): string[] {
  return Object.entries(file)
    .filter(([key]) => !isOptionName(key))
    .map(([key, value]) => {
      const isTable = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
      const rule = isTable ? "; options belong at the top of the file, outside any table" : "";
      return `${quote(key)} in ${fileName}: unknown option${suggestion(optionSpelling(key), OPTION_NAMES)}${rule}`;
    });
}

/** Warnings only, because orchestrators set variables with this prefix too. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = [FILE_VARIABLE, ...OPTION_NAMES.map(variableOf), ...SECRET_OPTION_NAMES.map(fileVariableOf)];
  return Object.entries(environment)
    .filter(([variable, text]) => variable.startsWith(ENVIRONMENT_PREFIX) && !known.includes(variable) && text)
    .map(([variable]) => {
      const typed = ENVIRONMENT_PREFIX + optionSpelling(variable).toUpperCase();
      return `${quote(variable)} is ignored: no option has this variable${suggestion(typed, known)}`;
    });
}

/** `; did you mean port?`, or nothing when no name is close. */
export function suggestion(typed: string, names: readonly string[]): string {
  const closest = closestName(typed, names) ?? onlyNameWithWords(typed, names);
  return closest === undefined ? "" : `; did you mean ${closest}?`;
}

/** `flushEventCount`, `flush-event-count` and the variable's name, all spelled like an option. */
function optionSpelling(typed: string): string {
  const bare = typed.toUpperCase().startsWith(ENVIRONMENT_PREFIX) ? typed.slice(ENVIRONMENT_PREFIX.length) : typed;
  return bare
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

const wordsOf = (name: string): string[] => name.split(/[_-]/).filter((word) => word !== "");

/** Characters from which the beginning of a word counts as the word. */
const WORD_START_CHARS_MIN = 3;

const isWordOf = (typed: string, word: string): boolean =>
  typed === word || (typed.length >= WORD_START_CHARS_MIN && word.startsWith(typed));

/** A name without that of the other service means an option of this one. */
const OF_ANOTHER_SERVICE = /clickhouse/i;

/** The one name with all the typed words, so that `admin_pass` suggests `admin_password`; `undefined` if there are several. */
function onlyNameWithWords(typed: string, names: readonly string[]): string | undefined {
  const words = wordsOf(typed);
  const isMeant = (name: string) => !OF_ANOTHER_SERVICE.test(name) || OF_ANOTHER_SERVICE.test(typed);
  const matching = names
    .filter(isMeant)
    .filter((name) => words.length > 0 && words.every((word) => wordsOf(name).some((known) => isWordOf(word, known))));
  // A longer form of another match, such as the variable of a secret's file, is no choice of its own.
  const shortest = matching.filter((name) => !matching.some((other) => other !== name && name.startsWith(other)));
  return shortest.length === 1 ? shortest[0] : undefined;
}

/** The closest of `names`, the first of several that are equally close; `undefined` when none is close. */
export function closestName(typed: string, names: readonly string[]): string | undefined {
  let closest: string | undefined;
  let editsAllowed = Math.min(EDITS_MAX, Math.max(1, Math.floor(typed.length / LETTERS_PER_EDIT)));
  for (const name of names) {
    const edits = editDistance(typed, name, editsAllowed);
    if (edits > editsAllowed) continue;
    closest = name;
    editsAllowed = edits - 1;
  }
  return closest;
}

/**
 * The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. Lengths that
 * differ by more than `editsMax` are not compared: any larger result only means "more than that".
 */
export function editDistance(a: string, b: string, editsMax: number): number {
  if (Math.abs(a.length - b.length) > editsMax) return editsMax + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(at(last, column - 1) + (same ? 0 : 1), at(last, column) + 1, at(current, column - 1) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      }
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity;
