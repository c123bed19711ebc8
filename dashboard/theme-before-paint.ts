/** Runs before the first paint, so that a chosen theme is there from the start: the one thing that a module would do too late. */
const chosen = localStorage.getItem("sandpiper.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
