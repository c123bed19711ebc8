/** The name of something that is made or renamed, which it must have. */

interface NameInputProps {
  readonly label: string;
  readonly charsMax: number;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  readonly value: string;
  readonly onInput: (name: string) => void;
}

export const NameInput = ({ label, charsMax, placeholder, autoFocus = false, value, onInput }: NameInputProps) => (
  <label>
    {label}
    <input
      type="text"
      required
      autoFocus={autoFocus}
      maxLength={charsMax}
      autocomplete="off"
      placeholder={placeholder}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </label>
);
