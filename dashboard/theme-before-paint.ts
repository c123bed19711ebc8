/**
 * Says on the page which palette counts, the chosen one or else the system's. It runs before the first paint, so that colours are
 * right from the start: the one thing that a module would do too late.
 */
const system = matchMedia("(prefers-color-scheme: dark)");

function applyTheme(): void {
  const chosen = localStorage.getItem("sandpiper.theme");
  const isDark = chosen === "dark" || (chosen !== "light" && system.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

applyTheme();
system.addEventListener("change", applyTheme);
// From `state/theme.ts`, once another one is chosen.
addEventListener("sandpiper:theme", applyTheme);
