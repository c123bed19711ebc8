/** The open dialog of a viewer's page. Dialogs about the installation do not exist there. */
import { lazy } from "../components/lazy.tsx";
import { FailedPanel } from "../components/failed-panel.tsx";
import { panel } from "../state/view.ts";

const OpenPanel = lazy(async () => (await import("../panels.tsx")).OpenPanel, FailedPanel);

export const ViewerPanel = () => (panel.value === null ? null : <OpenPanel />);
