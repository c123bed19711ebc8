/** A group of radio buttons. */

interface RadiosProps<Id extends string> {
  readonly legend: string;
  readonly hint?: string;
  readonly name: string;
  readonly labels: Readonly<Record<Id, string>>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

export const Radios = <Id extends string>({ legend, hint, name, labels, chosen, onChoose }: RadiosProps<Id>) => (
  <fieldset aria-describedby={hint && `${name}-hint`}>
    <legend>{legend}</legend>
    {(Object.keys(labels) as Id[]).map((id) => (
      <label key={id} class="choice">
        <input type="radio" name={name} checked={chosen === id} onChange={() => onChoose(id)} /> {labels[id]}
      </label>
    ))}
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
  </fieldset>
);
