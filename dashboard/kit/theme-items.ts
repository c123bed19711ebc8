/** The items of a menu that choose the color theme. */
import type { MenuItem } from "./menu-entry.tsx";
import { chooseTheme, theme, THEMES, type Theme } from "./theme.ts";

const LABELS: Readonly<Record<Theme, string>> = { system: "Theme: System", light: "Theme: Light", dark: "Theme: Dark" };

export const themeItems = (): MenuItem[] =>
  THEMES.map((name) => ({ label: LABELS[name], isChosen: theme.value === name, onChoose: () => chooseTheme(name) }));
