/** The items of a menu that every page has: theme, help, and the account. */
import type { MenuItem } from "../kit/menu-entry.tsx";
import { authState, endSession } from "../state/connection.ts";
import { openPanel } from "../state/view.ts";
import { themeItems } from "../kit/theme-items.ts";

const ACCOUNT_ITEMS: readonly MenuItem[] = [
  { label: "Change password…", onChoose: () => openPanel("change-password") },
  { label: "Log out", onChoose: () => void endSession() },
  { label: "Log out everywhere…", onChoose: () => openPanel("logout-all") },
];

export const accountItems = (): (MenuItem | null)[] => [
  ...themeItems(),
  null,
  { label: "Help", hint: "?", onChoose: () => openPanel("help") },
  ...(authState.value === "logged_in" ? ACCOUNT_ITEMS : [{ label: "Set a password…", onChoose: () => openPanel("password") }]),
];
