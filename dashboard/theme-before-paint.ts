/**
 * Applies the color theme before the first paint. A classic script, because a module runs too late; it can import nothing,
 * so it repeats two names of `state/theme.ts`.
 */
const system = matchMedia("(prefers-color-scheme: dark)");

function applyTheme(): void {
  const chosen = localStorage.getItem("sandpiper.theme");
  const isDark = chosen === "dark" || (chosen !== "light" && system.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

applyTheme();
system.addEventListener("change", applyTheme);
addEventListener("sandpiper:theme", applyTheme);
