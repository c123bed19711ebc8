/** The forms that save the current view under a name, and rename a saved item. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { problemText } from "../api/http.ts";
import type { Segment } from "../api/segments.ts";
import { NameInput } from "../kit/name-input.tsx";
import { Select } from "../kit/select.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction } from "../state/use-action.ts";
import { NAME_CHARS_MAX } from "./saved-kind.ts";

const SCOPES: Readonly<Record<Segment["scope"], string>> = { everybody: "Everybody", oneself: "Only me, in this browser" };

interface SaveFormProps {
  readonly noun: string;
  readonly onSave: (name: string, scope: Segment["scope"]) => Promise<void>;
}

export function SaveForm({ noun, onSave }: SaveFormProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Segment["scope"]>("everybody");
  const { isBusy, problem, run } = useAction(problemText);
  return (
    <form
      class="form inline"
      aria-label={`Save as a ${noun}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "" && !isBusy) void run(() => onSave(name.trim(), scope));
      }}
    >
      <NameInput label={`Save as a ${noun}`} charsMax={NAME_CHARS_MAX} placeholder="Name" value={name} onInput={setName} />
      <Select label="For" labels={SCOPES} chosen={scope} onChoose={setScope} />
      <button type="submit" class="button" aria-disabled={isBusy}>
        Save
      </button>
      <Problem text={problem} />
    </form>
  );
}

interface RenameFormProps {
  readonly item: Segment;
  readonly onRename: (name: string) => void;
  readonly onCancel: () => void;
}

export function RenameForm({ item, onRename, onCancel }: RenameFormProps) {
  const [name, setName] = useState(item.name);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const input = form.current?.querySelector("input");
    input?.focus();
    input?.select();
  }, []);
  return (
    <form
      class="form inline"
      ref={form}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // The dialog around it stays open.
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") onRename(name.trim());
      }}
    >
      <NameInput label="Name" charsMax={NAME_CHARS_MAX} value={name} onInput={setName} />
      <button type="submit" class="button">
        Rename
      </button>
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}
