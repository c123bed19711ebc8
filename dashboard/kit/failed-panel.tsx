/** In place of a dialog whose code cannot be fetched. */
import { closePanel } from "../state/view.ts";
import { Dialog } from "./dialog.tsx";
import { NotLoaded } from "./lazy.tsx";

export const FailedPanel = () => (
  <Dialog title="Something went wrong" onClose={closePanel}>
    <NotLoaded />
  </Dialog>
);
