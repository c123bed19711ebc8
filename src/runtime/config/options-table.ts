/** How the options are documented: the Markdown table between two markers, made from the table in `options.ts`. */

import { OPTION_NAMES, type OptionName, optionNamed, variableOf } from "./options.ts";

const BEGIN_MARKER = "<!-- options:begin -->";
const END_MARKER = "<!-- options:end -->";

export function renderOptionsTable(): string {
  const heading = ["Option", "Variable", "Default", "Meaning"];
  const rows = OPTION_NAMES.map((name) => [`\`${name}\``, `\`${variableOf(name)}\``, renderDefault(name), renderMeaning(name)]);
  return [heading, heading.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}

/** The document with a fresh table between its markers; everything else stays. */
export function replaceOptionsTable(document: string): string {
  const begin = document.indexOf(BEGIN_MARKER);
  const end = document.indexOf(END_MARKER);
  if (begin === -1 || end < begin) {
    throw new Error(`The document needs a line ${BEGIN_MARKER} and, after it, a line ${END_MARKER}.`);
  }
  return `${document.slice(0, begin)}${BEGIN_MARKER}\n${renderOptionsTable()}${document.slice(end)}`;
}

function renderDefault(name: OptionName): string {
  const option = optionNamed(name);
  if (option.defaultInWords !== undefined) return option.defaultInWords;
  if (option.default === null) return "none";
  const onWorkerd = option.defaultOnWorkerd;
  return onWorkerd === undefined ? `\`${option.default}\`` : `\`${option.default}\`, on workerd \`${onWorkerd}\``;
}

function renderMeaning(name: OptionName): string {
  const { meaning, kind, platform } = optionNamed(name);
  const onlyOn = { node: " Node only.", workerd: " workerd only.", both: "" }[platform];
  return `${meaning}${onlyOn} Allowed: ${kind.allowed}.`;
}
