/**
 * Applies the color theme before the first paint. A classic script, because a module runs too late; it can import nothing,
 * so it repeats two names of `kit/theme.ts`.
 */
const system = matchMedia("(prefers-color-scheme: dark)");

/** A frame has the theme of its address (`?embed=1&theme=dark`). Elsewhere it may be stored, unless the browser refuses that. */
function chosenTheme(): string | null {
  const parameters = new URLSearchParams(location.search);
  if (parameters.has("embed")) return parameters.get("theme");
  try {
    return localStorage.getItem("sandpiper.theme");
  } catch {
    return null;
  }
}

function applyTheme(): void {
  const chosen = chosenTheme();
  const isDark = chosen === "dark" || (chosen !== "light" && system.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

applyTheme();
system.addEventListener("change", applyTheme);
addEventListener("sandpiper:theme", applyTheme);
