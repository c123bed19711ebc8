/** The four cards: where visitors come from, what they look at, where they are, what they use. */
import { BreakdownCard } from "./breakdown-card.tsx";
import { CountryMap } from "./country-map.tsx";

const SOURCES = [
  { id: "sources", label: "All" },
  { id: "referrers", label: "Referrers" },
  { id: "utm-campaigns", label: "Campaign" },
  { id: "utm-sources", label: "Tagged" },
  { id: "utm-mediums", label: "Medium" },
  { id: "utm-contents", label: "Content" },
  { id: "utm-terms", label: "Term" },
];

const PAGES = [
  { id: "pages", label: "Top" },
  { id: "entry-pages", label: "Entry" },
  { id: "exit-pages", label: "Exit" },
];

const LOCATIONS = [
  { id: "map", label: "Map" },
  { id: "countries", label: "Countries" },
  { id: "regions", label: "Regions" },
  { id: "cities", label: "Cities" },
];

const DEVICES = [
  { id: "browsers", label: "Browsers" },
  { id: "os", label: "Systems" },
  { id: "screen-sizes", label: "Screens" },
  { id: "devices", label: "Types" },
];

export const Cards = () => (
  <div class="cards">
    <BreakdownCard title="Sources" name="from" tabs={SOURCES} />
    <BreakdownCard title="Pages" name="pages" tabs={PAGES} />
    <BreakdownCard title="Locations" name="places" tabs={LOCATIONS} special={{ map: () => <CountryMap /> }} />
    <BreakdownCard title="Devices" name="devices" tabs={DEVICES} />
  </div>
);
