/** The menu of a country, with its changes of filters: by right click, or by keyboard and finger from the list of countries. */
import { useRef } from "preact/hooks";
import { UNRECORDED } from "../../src/shared/filters.ts";
import { filterItems } from "../filters/filter-items.ts";
import { countryName } from "../format/dimensions.ts";
import { Menu, MenuPopup, useCloseOutside } from "../kit/menu.tsx";
import { hasFilter } from "../state/view-filters.ts";
import type { Counts } from "./countries.tsx";
import type { WorldShapes } from "./world-shapes.ts";
import type { Zoom } from "./zoom.ts";

/** Positions are CSS lengths from the map's corner. */
export interface OpenCountry {
  readonly code: string;
  readonly left: string;
  readonly top: string;
}

/** Opens a country's menu at its label. */
export function labelPlace({ points, width, height }: WorldShapes, { scale, x, y }: Zoom, code: string): OpenCountry {
  const [left, top] = points[code] ?? [0, 0];
  return { code, left: `${((left * scale + x) / width) * 100}%`, top: `${((top * scale + y) / height) * 100}%` };
}

const MENU_BUTTON = "map-more";

function CountryMenu({ open: { code, left, top }, onClose }: { readonly open: OpenCountry; readonly onClose: () => void }) {
  const root = useRef<HTMLDivElement>(null);
  useCloseOutside(root, true, onClose);
  const label = countryName(code);
  function close() {
    root.current?.closest(".map")?.querySelector<HTMLElement>(`.${MENU_BUTTON}`)?.focus({ preventScroll: true });
    onClose();
  }
  return (
    <div class="map-menu" ref={root} style={{ left: `clamp(0px, ${left}, 100% - 240px)`, top: `clamp(0px, ${top}, 100%)` }}>
      <MenuPopup
        label={label}
        items={filterItems({ dimension: "countries", value: code }, label)}
        search={undefined}
        end="start"
        onClose={close}
      />
    </div>
  );
}

interface CountryMenusProps {
  readonly visitors: Counts;
  readonly open: OpenCountry | null;
  readonly onChoose: (code: string) => void;
  readonly onClose: () => void;
}

/** Lists the countries with visitors, most first. */
export function CountryMenus({ visitors, open, onChoose, onClose }: CountryMenusProps) {
  const codes = [...visitors].filter(([code, count]) => count > 0 && code !== UNRECORDED).sort(([, a], [, b]) => b - a);
  return (
    <>
      {codes.length > 0 && (
        <Menu
          label="Choose a country"
          button={<span class="more" aria-hidden="true" />}
          buttonClass={MENU_BUTTON}
          search="Search countries"
          items={codes.map(([code]) => ({
            label: countryName(code),
            isChosen: hasFilter("countries", code),
            onChoose: () => onChoose(code),
          }))}
        />
      )}
      {open && <CountryMenu key={open.code} open={open} onClose={onClose} />}
    </>
  );
}
