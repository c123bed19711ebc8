/** The color theme: light, dark or the system's. The browser stores it, `before-paint.ts` applies it. */
import { signal } from "@preact/signals";
import { store, stored } from "../api/stored.ts";
import { words } from "../words/words.ts";
import type { MenuItem } from "./menu.tsx";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** `before-paint.ts` repeats both names. */
const STORAGE_KEY = "sandpiper.theme";
const CHANGE_EVENT = "sandpiper:theme";

const storedTheme = (): Theme => THEMES.find((theme) => theme === stored("local", STORAGE_KEY)) ?? "system";

const theme = signal<Theme>(storedTheme());

/** Increments when the palette changes: canvases must be redrawn. */
export const paletteVersion = signal(0);

function chooseTheme(next: Theme): void {
  theme.value = next;
  store("local", STORAGE_KEY, next === "system" ? null : next);
  dispatchEvent(new Event(CHANGE_EVENT));
  paletteVersion.value++;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paletteVersion.value++);

const LABELS: Readonly<Record<Theme, string>> = { system: words.kit.themeSystem, light: words.kit.themeLight, dark: words.kit.themeDark };

export const themeItems = (): MenuItem[] =>
  THEMES.map((name) => ({ label: LABELS[name], isChosen: theme.value === name, onChoose: () => chooseTheme(name) }));
