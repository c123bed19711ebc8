/** Which clicks choose what they are on. */
import { expect, it } from "vitest";
import { TapChoice } from "../../../../dashboard/kit/pointing.ts";

const pointer = (pointerType: string) => ({ pointerType }) as PointerEvent;

it("every click of a mouse chooses, but not beside all targets", () => {
  const taps = new TapChoice<string>();
  taps.press(pointer("mouse"));
  expect([taps.click("a"), taps.click("b"), taps.click(null)]).toEqual([true, true, false]);
});

it("a finger's second tap on the same target chooses", () => {
  const taps = new TapChoice<string>();
  taps.press(pointer("touch"));
  expect([taps.click("a"), taps.click("b"), taps.click("b")]).toEqual([false, false, true]);
});

it("after the target was left, a tap is the first one again", () => {
  const taps = new TapChoice<string>();
  taps.press(pointer("touch"));
  taps.click("a");
  taps.leave();
  expect(taps.click("a")).toBe(false);
});
