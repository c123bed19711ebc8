/** A modal dialog: the browser keeps the focus inside; Escape, × and a click on the backdrop close it. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { closePanel, openPanel } from "../state/view.ts";
import { words } from "../words/words.ts";
import { CrossButton } from "./inline.tsx";
import { NotLoaded } from "./lazy.tsx";
import { isTouchScreen } from "./pointing.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

const CONTROLS = "input:not([hidden]):enabled, select:enabled, textarea:enabled, button:enabled, a[href]";

/** Returns the focus to what opened the dialog, or to the page if that is gone. */
function restoreFocus(opener: Element | null): void {
  const target = opener?.isConnected === true ? opener : document.querySelector("main");
  if (target instanceof HTMLElement) target.focus();
}

/** Opens the dialog and focuses the first control after ×, possibly one that appears later; until then, the title. */
function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const opened = dialog.current;
    opened?.showModal();
    title.current?.focus();
    return () => {
      opened?.close();
      // Once the view behind the dialog has changed, too.
      queueMicrotask(() => restoreFocus(opener));
    };
  }, []);
  useLayoutEffect(() => {
    if (document.activeElement !== title.current || isTouchScreen()) return;
    dialog.current?.querySelectorAll<HTMLElement>(CONTROLS)[1]?.focus();
  });
  return { dialog, title };
}

export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const refs = useModal();
  return (
    <dialog
      ref={refs.dialog}
      class={isWide ? "dialog wide" : "dialog"}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === refs.dialog.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 ref={refs.title} tabIndex={-1}>
            {title}
          </h2>
          <CrossButton label={words.kit.close} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

export const PasswordRequired = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <Dialog title={title} onClose={closePanel}>
    <p>{children}</p>
    <button type="button" class="button primary" onClick={() => openPanel("password")}>
      {words.kit.setPassword}
    </button>
  </Dialog>
);

export const FailedPanel = () => (
  <Dialog title={words.kit.wentWrong} onClose={closePanel}>
    <NotLoaded />
  </Dialog>
);
