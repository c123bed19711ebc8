/** How the options are documented: a Markdown table between two markers, generated from `options.ts`. */

import { fileVariableOf, OPTION_NAMES, type OptionName, optionNamed, SECRET_OPTION_NAMES, variableOf } from "./options.ts";

const BEGIN_MARKER = "<!-- options:begin -->";
const END_MARKER = "<!-- options:end -->";

export function renderOptionsTable(): string {
  const heading = ["Option", "Environment variable", "Type", "Default", "Description"];
  const rows = OPTION_NAMES.map((name) => [
    `\`${name}\``,
    variables(name),
    optionNamed(name).kind.expected.replace(/^an? /, ""),
    renderDefault(name),
    renderDescription(name),
  ]);
  return [heading, heading.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}

/** The document with a fresh table between its markers. */
export function replaceOptionsTable(document: string): string {
  const begin = document.indexOf(BEGIN_MARKER);
  const end = document.indexOf(END_MARKER);
  if (begin === -1 || end < begin) {
    throw new Error(`The document needs a line ${BEGIN_MARKER} and, after it, a line ${END_MARKER}.`);
  }
  return `${document.slice(0, begin)}${BEGIN_MARKER}\n${renderOptionsTable()}${document.slice(end)}`;
}

const variables = (name: OptionName): string => {
  const variable = `\`${variableOf(name)}\``;
  return SECRET_OPTION_NAMES.includes(name) ? `${variable}, \`${fileVariableOf(name)}\`` : variable;
};

function renderDefault(name: OptionName): string {
  const option = optionNamed(name);
  if (option.defaultInWords !== undefined) return option.defaultInWords;
  if (option.default === null) return "none";
  const onWorkerd = option.defaultOnWorkerd;
  return onWorkerd === undefined ? `\`${option.default}\`` : `\`${option.default}\`; on workerd \`${onWorkerd}\``;
}

function renderDescription(name: OptionName): string {
  const { description, platform } = optionNamed(name);
  return description + { node: " Node only.", workerd: " workerd only.", both: "" }[platform];
}
