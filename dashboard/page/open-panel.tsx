/** The open dialog, if there is one. All of them are loaded when the first one opens. */
import { FailedPanel } from "../kit/failed-panel.tsx";
import { lazy } from "../kit/lazy.tsx";
import { panel } from "../state/view.ts";

const LoadedPanel = lazy(async () => (await import("./panels.tsx")).OpenPanel, FailedPanel);

export const OpenPanel = () => (panel.value === null ? null : <LoadedPanel />);
