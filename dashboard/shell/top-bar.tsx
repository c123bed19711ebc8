/** The sticky bar: site switcher, current visitors, filter, period, comparison and the menu. */
import { Logo } from "../components/logo.tsx";
import { Menu } from "../components/menu.tsx";
import { OutageBanner } from "../components/states.tsx";
import { CurrentVisitors } from "../realtime/current-visitors.tsx";
import { authState, endSession } from "../state/connection.ts";
import { chooseTheme, theme, THEMES, type Theme } from "../state/theme.ts";
import { isRealtime, openPanel } from "../state/view.ts";
import { ComparisonPicker } from "./comparison-picker.tsx";
import { FilterButton } from "./filters.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import { SiteSwitcher } from "./site-switcher.tsx";

const THEME_LABELS: Readonly<Record<Theme, string>> = { system: "Theme: System", light: "Theme: Light", dark: "Theme: Dark" };

const ACCOUNT_ITEMS = [
  { label: "Change password…", onChoose: () => openPanel("change-password") },
  { label: "Log out", onChoose: () => void endSession() },
  { label: "Log out everywhere…", onChoose: () => openPanel("logout-all") },
];

const MoreMenu = () => (
  <Menu
    label="Menu"
    buttonClass="bar-button icon"
    button={<span class="dots" aria-hidden="true" />}
    items={[
      { label: "Export…", onChoose: () => openPanel("export") },
      { label: "Tracking code…", onChoose: () => openPanel("snippet") },
      { label: "Check the installation…", onChoose: () => openPanel("installation") },
      { label: "API keys…", onChoose: () => openPanel("keys") },
      { label: "Delete data…", onChoose: () => openPanel("erase") },
      null,
      ...THEMES.map((name) => ({ label: THEME_LABELS[name], isChosen: theme.value === name, onChoose: () => chooseTheme(name) })),
      null,
      { label: "Help", hint: "?", onChoose: () => openPanel("help") },
      ...(authState.value === "logged_in" ? ACCOUNT_ITEMS : [{ label: "Set a password…", onChoose: () => openPanel("password") }]),
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
        <FilterButton />
        <PeriodPicker />
        {!isRealtime() && <ComparisonPicker />}
        <MoreMenu />
      </div>
    </div>
    <OutageBanner />
  </header>
);
