/** Finds in a page what overflows the window or its place, overlaps, or is cut. */

/**
 * A script for `page.evaluate` that resolves with a sentence for each problem within the first element that matches.
 * Text with an ellipsis may be cut, and what a scrolling or clipping element contains may overflow that element.
 */
export const misplaced = (selector: string): string => `(async () => {
  // The chart is drawn anew in the frame after a change of the width.
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
  const selector = ${JSON.stringify(selector)};
  const page = document.documentElement;
  const root = document.querySelector(selector);
  if (!root) return ["no " + selector];
  const nameOf = (element) => \`<\${element.localName} class="\${element.getAttribute("class")}"> \${element.textContent.slice(0, 40)}\`;
  const boxOf = (element) => element.getBoundingClientRect();
  const styleOf = (element) => getComputedStyle(element);
  const isClipped = ({ parentElement: parent }) => parent !== root && (styleOf(parent).overflowX !== "visible" || isClipped(parent));
  const isSeen = (element) => element.getClientRects().length > 0 && styleOf(element).clipPath === "none";
  const elements = [...root.querySelectorAll("*")].filter((element) => isSeen(element) && !isClipped(element));

  const problems = [];
  const place = boxOf(root);
  if (page.scrollWidth > page.clientWidth) problems.push("the page scrolls sideways");
  if (place.left < 0 || place.right > page.clientWidth) problems.push(selector + " overflows the window");
  if (root.localName !== "main" && (place.top < 0 || place.bottom > innerHeight)) problems.push(selector + " is higher than the window");
  for (const element of elements) {
    const { left, right } = boxOf(element);
    if (left < place.left - 1 || right > place.right + 1) problems.push("overflows: " + nameOf(element));
    if (element.localName === "button" && styleOf(element).textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1)
      problems.push("is cut: " + nameOf(element));
  }

  const controls = elements.filter((element) => element.matches("button, input, select") && styleOf(element).position !== "absolute");
  const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  controls.forEach((control, i) => {
    for (const other of controls.slice(i + 1))
      if (overlaps(boxOf(control), boxOf(other))) problems.push("overlap: " + nameOf(control) + " and " + nameOf(other));
  });
  return problems;
})()`;
