/** The map's zoom keeps its point and never leaves the map. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { movedBy, pinched, SCALE_MAX, WHOLE_MAP, zoomedBy, zoomedByKey, type Point, type Zoom } from "../../../../dashboard/map/zoom.ts";

const SIZE = { width: 9600, height: 4400 };

const point = fc.record({ x: fc.integer({ min: 0, max: SIZE.width }), y: fc.integer({ min: 0, max: SIZE.height }) });

/** The point of the map that is shown there. */
const under = ({ scale, x, y }: Zoom, at: Point): Point => ({ x: (at.x - x) / scale, y: (at.y - y) / scale });

const expectWithinMap = (zoom: Zoom) => {
  const [from, to] = [under(zoom, { x: 0, y: 0 }), under(zoom, { x: SIZE.width, y: SIZE.height })];
  for (const edge of [from.x, from.y, SIZE.width - to.x, SIZE.height - to.y]) expect(edge).toBeGreaterThan(-0.001);
  expect(zoom.scale).toBeGreaterThanOrEqual(1);
  expect(zoom.scale).toBeLessThanOrEqual(SCALE_MAX);
};

describe("the map's zoom", () => {
  it("the zoom keeps what is under the pointer in its place", () => {
    fc.assert(
      fc.property(point, point, (first, second) => {
        const zoom = zoomedBy(zoomedBy(WHOLE_MAP, 2, first, SIZE), 1.5, second, SIZE);
        const before = under(zoomedBy(WHOLE_MAP, 2, first, SIZE), second);
        expect(under(zoom, second).x).toBeCloseTo(before.x, 3);
        expect(under(zoom, second).y).toBeCloseTo(before.y, 3);
      }),
    );
  });

  it("the zoom never shows anything beside the map", () => {
    const step = fc.oneof(
      fc.record({ factor: fc.double({ min: 0.1, max: 10, noNaN: true }), at: point }),
      fc.record({ by: fc.record({ x: fc.integer({ min: -9999, max: 9999 }), y: fc.integer({ min: -9999, max: 9999 }) }) }),
      fc.record({ from: point, to: point, other: point }),
      fc.constantFrom("+", "-", "0", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown").map((key) => ({ key })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let zoom = WHOLE_MAP;
        for (const each of steps) {
          if ("factor" in each) zoom = zoomedBy(zoom, each.factor, each.at, SIZE);
          else if ("by" in each) zoom = movedBy(zoom, each.by, SIZE);
          else if ("key" in each) zoom = zoomedByKey(zoom, each.key, SIZE) ?? zoom;
          else zoom = pinched(zoom, each, SIZE);
          expectWithinMap(zoom);
        }
      }),
    );
  });

  it("keys zoom and move a map that is zoomed in; on the whole map, the arrow keys stay the page's", () => {
    const zoomed = zoomedByKey(WHOLE_MAP, "+", SIZE);
    expect(zoomed?.scale).toBe(1.6);
    expect(zoomed && zoomedByKey(zoomed, "ArrowRight", SIZE)?.x).toBeLessThan(zoomed?.x ?? 0);
    expect(zoomed && zoomedByKey(zoomed, "0", SIZE)).toEqual(WHOLE_MAP);
    expect(zoomedByKey(WHOLE_MAP, "ArrowRight", SIZE)).toBe(null);
    expect(zoomedByKey(WHOLE_MAP, "d", SIZE)).toBe(null);
  });

  it("two fingers that move apart zoom in between them", () => {
    const [other, from, to] = [
      { x: 4000, y: 2000 },
      { x: 5000, y: 2000 },
      { x: 6000, y: 2000 },
    ];
    const zoom = pinched(WHOLE_MAP, { from, to, other }, SIZE);
    expect(zoom.scale).toBe(2);
    expect(under(zoom, { x: 5000, y: 2000 }).x).toBeCloseTo(4500);
  });
});
