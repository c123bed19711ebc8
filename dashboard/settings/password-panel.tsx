/** Protects an open instance. */
import { NewPasswordForm } from "../login/login.tsx";
import { Dialog } from "../components/dialog.tsx";
import { closePanel } from "../state/view.ts";

export const PasswordPanel = () => (
  <Dialog title="Set a password" onClose={closePanel}>
    <p>From then on figures are for those who know it, and for programs with a key.</p>
    <NewPasswordForm onDone={closePanel} />
  </Dialog>
);
