/** A saved item in the list: a click on its name opens it; buttons rename, update and delete it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Segment } from "../api/segments.ts";
import { ConfirmedButton } from "../kit/confirmed-button.tsx";
import { authState } from "../state/connection.ts";
import { RenameForm } from "./saved-forms.tsx";
import type { SavedKind } from "./saved-kind.ts";

interface SavedItemProps extends Pick<SavedKind, "current" | "textOf" | "isShown" | "onShow"> {
  readonly item: Segment;
  readonly onRename: (name: string) => void;
  readonly onUpdate: () => void;
  readonly onDelete: () => void;
}

/** The focus comes back from the form to the button that opened it. */
function useRenaming() {
  const [isRenaming, setRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  useLayoutEffect(() => {
    if (wasRenaming.current) button.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);
  return { isRenaming, setRenaming, button };
}

export function SavedItem({ item, current, textOf, isShown, onShow, onRename, onUpdate, onDelete }: SavedItemProps) {
  const { isRenaming, setRenaming, button } = useRenaming();
  if (isRenaming) {
    return (
      <li>
        <RenameForm
          item={item}
          onRename={(name) => {
            onRename(name);
            setRenaming(false);
          }}
          onCancel={() => setRenaming(false)}
        />
      </li>
    );
  }
  return (
    <li class="saved-item">
      <div class="saved-text">
        <button type="button" class="link" aria-pressed={isShown(item)} onClick={() => onShow(item)}>
          {item.name}
        </button>
        <p class="dim">
          {textOf(item)}
          {item.scope === "oneself" && " · Only you"}
        </p>
      </div>
      {authState.value === "logged_in" && (
        <div class="saved-tools">
          <button type="button" class="button small" ref={button} onClick={() => setRenaming(true)}>
            Rename<span class="unseen"> {item.name}</span>
          </button>
          {current !== null && (
            <ConfirmedButton
              isSmall
              isDanger={false}
              label="Update"
              confirmLabel="Confirm update"
              subject={item.name}
              onConfirm={onUpdate}
            />
          )}
          <ConfirmedButton isSmall label="Delete" confirmLabel="Confirm delete" subject={item.name} onConfirm={onDelete} />
        </div>
      )}
    </li>
  );
}
