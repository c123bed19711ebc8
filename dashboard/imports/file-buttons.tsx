/** Buttons that choose files, or a folder with all that is in it. */
import { useRef } from "preact/hooks";
import { Button } from "../kit/inline.tsx";
import { words } from "../words/words.ts";
import { chosenIn, type ChosenFile } from "./chosen-files.ts";

interface FileInputProps {
  readonly label: string;
  readonly isFolder?: boolean;
  readonly onChoose: (chosen: readonly ChosenFile[]) => void;
}

function FileInput({ label, isFolder = false, onChoose }: FileInputProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>{label}</Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        {...(isFolder && { webkitdirectory: true })}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const chosen = chosenIn(currentTarget.files);
          // Without this, choosing the same files again would fire no event.
          currentTarget.value = "";
          if (chosen.length > 0) onChoose(chosen);
        }}
      />
    </>
  );
}

export const FileButtons = ({ onChoose }: Pick<FileInputProps, "onChoose">) => (
  <div class="actions">
    <FileInput label={words.imports.chooseFiles} onChoose={onChoose} />
    <FileInput label={words.imports.chooseFolder} isFolder onChoose={onChoose} />
  </div>
);
