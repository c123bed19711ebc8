/** Applies the color theme before the first paint. A classic script, because a module runs too late. It can import nothing, so it repeats two names of `kit/theme.ts`. */
const system = matchMedia("(prefers-color-scheme: dark)");

/** Frames take the theme from their address (`?embed=1&theme=dark`). Other pages read storage, unless the browser blocks it. */
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
