/** The buttons that zoom the map. */

interface ZoomButtonsProps {
  readonly isZoomed: boolean;
  /** Does what the key does. */
  readonly onKey: (key: string) => void;
}

/** The last two stay in place on the whole map, because a button that is taken away loses the focus. */
export const ZoomButtons = ({ isZoomed, onKey }: ZoomButtonsProps) => (
  <div class="map-zoom" role="group" aria-label="Zoom">
    <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => onKey("+")}>
      +
    </button>
    <button type="button" aria-label="Zoom out" title="Zoom out (-)" aria-disabled={!isZoomed} onClick={() => onKey("-")}>
      −
    </button>
    <button type="button" aria-label="Whole map" title="Whole map (0)" aria-disabled={!isZoomed} onClick={() => onKey("0")}>
      ↺
    </button>
  </div>
);
