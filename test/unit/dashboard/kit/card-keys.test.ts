/** Which card of the page of all sites a key leads to. */
import { expect, it } from "vitest";
import { cardFor } from "../../../../dashboard/kit/pointing.ts";

/** Seven cards: two rows of three, and one more. */
const from = (index: number, key: string) => cardFor(key, index, 7, 3);

it("arrow keys lead along the rows and columns of the grid", () => {
  expect(from(2, "ArrowRight")).toBe(3);
  expect(from(3, "ArrowLeft")).toBe(2);
  expect(from(1, "ArrowDown")).toBe(4);
  expect(from(6, "ArrowUp")).toBe(3);
});

it("Home and End lead to the first and the last card", () => {
  expect(from(4, "Home")).toBe(0);
  expect(from(4, "End")).toBe(6);
});

it("at the edge, and for any other key, the focus stays", () => {
  for (const [index, key] of [
    [0, "ArrowLeft"],
    [1, "ArrowUp"],
    [6, "ArrowRight"],
    [5, "ArrowDown"],
    [3, "Enter"],
  ] as const)
    expect(from(index, key)).toBeNull();
});
