/** A dialog of something that an instance without a password does not offer. */
import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { closePanel, openPanel } from "../state/view.ts";

export const PasswordRequired = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <Dialog title={title} onClose={closePanel}>
    <p>{children}</p>
    <button type="button" class="button primary" onClick={() => openPanel("password")}>
      Set a password
    </button>
  </Dialog>
);
