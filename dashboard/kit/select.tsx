/** A labelled menu of values, each with its name. */

interface SelectProps<Id extends string> {
  readonly label: string;
  readonly labels: Readonly<Record<Id, string>>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
  /** Of the label. */
  readonly class?: string;
}

export const Select = <Id extends string>({ label, labels, chosen, onChoose, class: className }: SelectProps<Id>) => (
  <label class={className}>
    {label}
    <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value as Id)}>
      {(Object.keys(labels) as Id[]).map((id) => (
        <option key={id} value={id}>
          {labels[id]}
        </option>
      ))}
    </select>
  </label>
);
