/** The name of something that is made or renamed, which it must have. */

interface NameInputProps {
  readonly label: string;
  readonly charsMax: number;
  readonly placeholder?: string;
  readonly value: string;
  readonly onInput: (name: string) => void;
}

export const NameInput = ({ label, charsMax, placeholder, value, onInput }: NameInputProps) => (
  <label>
    {label}
    <input
      type="text"
      required
      maxLength={charsMax}
      autocomplete="off"
      placeholder={placeholder}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </label>
);
