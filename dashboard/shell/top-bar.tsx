/** The bar that stays: site, who is there now, filters, period, comparison, and the menu of everything else. */
import { Menu } from "../components/menu.tsx";
import { CurrentVisitors } from "../realtime/current-visitors.tsx";
import { door, leave } from "../state/connection.ts";
import { chooseTheme, theme, THEMES } from "../state/theme.ts";
import { openPanel } from "../state/view.ts";
import { ComparisonPicker } from "./comparison-picker.tsx";
import { Logo } from "./logo.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import { SiteSwitcher } from "./site-switcher.tsx";

const THEME_WORDS = { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" } as const;

const MoreMenu = () => (
  <Menu
    label="Menu"
    buttonClass="bar-button icon"
    button={<span class="dots" aria-hidden="true" />}
    items={[
      { label: "Export…", onChoose: () => openPanel("export") },
      { label: "Snippet…", onChoose: () => openPanel("snippet") },
      { label: "API keys…", onChoose: () => openPanel("keys") },
      { label: "Erase data…", onChoose: () => openPanel("erase") },
      null,
      ...THEMES.map((name) => ({ label: THEME_WORDS[name], isChosen: theme.value === name, onChoose: () => chooseTheme(name) })),
      null,
      { label: "Help", hint: "?", onChoose: () => openPanel("help") },
      door.value === "inside"
        ? { label: "Log out", onChoose: () => void leave() }
        : { label: "Set a password…", onChoose: () => openPanel("password") },
    ]}
  />
);

export const TopBar = ({ sites }: { readonly sites: readonly string[] }) => (
  <header class="bar">
    <div class="bar-inner">
      <div class="bar-side">
        <Logo />
        <SiteSwitcher sites={sites} />
        <CurrentVisitors />
      </div>
      <div class="bar-side end">
        <button type="button" class="bar-button" title="Add a filter (F)" onClick={() => openPanel("filter")}>
          Filter
        </button>
        <PeriodPicker />
        <ComparisonPicker />
        <MoreMenu />
      </div>
    </div>
  </header>
);
