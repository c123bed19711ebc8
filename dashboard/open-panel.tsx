/** The open dialog, if there is one. All of them are loaded when the first one opens. */
import { FailedPanel } from "./components/failed-panel.tsx";
import { lazy } from "./components/lazy.tsx";
import { panel } from "./state/view.ts";

const LoadedPanel = lazy(async () => (await import("./panels.tsx")).OpenPanel, FailedPanel);

export const OpenPanel = () => (panel.value === null ? null : <LoadedPanel />);
