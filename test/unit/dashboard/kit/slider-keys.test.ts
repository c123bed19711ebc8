/** The keys that lead through the points of a chart. */
import { describe, expect, it } from "vitest";
import { indexAfterKey } from "../../../../dashboard/kit/pointing.ts";

const press = (key: string, modifiers: Partial<KeyboardEvent> = {}) => ({ key, ...modifiers }) as KeyboardEvent;

describe("indexAfterKey", () => {
  it.each([
    ["ArrowLeft", 3, 2],
    ["ArrowRight", 3, 4],
    ["ArrowLeft", 0, 0],
    ["ArrowRight", 5, 5],
    ["Home", 3, 0],
    ["End", 3, 5],
    ["ArrowLeft", null, 4],
    ["ArrowRight", null, 4],
    ["x", 3, undefined],
  ])("the key %s leads from %s to %s", (key, index, next) => {
    expect(indexAfterKey(press(key), { index, initial: 4, last: 5 })).toBe(next);
  });

  it.each(["ctrlKey", "metaKey", "altKey"])("with %s, a key is the browser's", (modifier) => {
    expect(indexAfterKey(press("ArrowLeft", { [modifier]: true }), { index: 3, initial: 4, last: 5 })).toBeUndefined();
  });
});
