/** The bar of a viewer's page: whose site it is and the name of the link, then filter, period, comparison and a short menu. */
import { Menu } from "../kit/menu.tsx";
import { OutageBanner } from "../kit/states.tsx";
import { CurrentVisitors } from "../page/current-visitors.tsx";
import { ComparisonPicker } from "../page/comparison-picker.tsx";
import { FilterButton } from "../filters/filter-pills.tsx";
import { PeriodPicker } from "../page/period-picker.tsx";
import { SiteIcon } from "../kit/site-icon.tsx";
import { themeItems } from "../kit/theme-items.ts";
import { siteName } from "../state/known-sites.ts";
import { shared } from "../state/share.ts";
import { hasRealtime, isRealtime, openPanel, site } from "../state/view.ts";

const ViewerMenu = () => (
  <Menu
    label="Menu"
    buttonClass="bar-button icon"
    button={<span class="dots" aria-hidden="true" />}
    items={[
      { label: "Export…", onChoose: () => openPanel("export") },
      null,
      ...themeItems(),
      null,
      { label: "Help", hint: "?", onChoose: () => openPanel("help") },
    ]}
  />
);

/** A link without a name of its own needs none beside the site's. */
const Owner = () => (
  <p class="viewed-site">
    <SiteIcon siteId={site.value ?? ""} />
    <strong title={site.value ?? ""}>{siteName.value}</strong>
    {shared.value?.name && <span class="dim">{shared.value.name}</span>}
  </p>
);

export const ViewerBar = () => (
  <header class="bar">
    <div class="bar-inner">
      <div class="bar-side">
        <Owner />
        {hasRealtime() && <CurrentVisitors />}
      </div>
      <div class="bar-side end">
        <FilterButton />
        <PeriodPicker />
        {!isRealtime() && <ComparisonPicker />}
        <ViewerMenu />
      </div>
    </div>
    <OutageBanner />
  </header>
);
