/** Light, dark, or as the system has it: kept in the browser, and applied before the first paint (`theme-before-paint.ts`). */
import { signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "sandpiper.theme";

const stored = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";

export const theme = signal<Theme>(stored());

/** Grows when colours change, for what is painted and not styled. */
export const colours = signal(0);

export function chooseTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  dispatchEvent(new Event("sandpiper:theme"));
  colours.value++;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colours.value++);
