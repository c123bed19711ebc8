/** A group of radio buttons. */

interface RadiosProps<Id extends string> {
  readonly legend: string;
  readonly name: string;
  readonly labels: Readonly<Record<Id, string>>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

export const Radios = <Id extends string>({ legend, name, labels, chosen, onChoose }: RadiosProps<Id>) => (
  <fieldset>
    <legend>{legend}</legend>
    {(Object.keys(labels) as Id[]).map((id) => (
      <label key={id} class="choice">
        <input type="radio" name={name} checked={chosen === id} onChange={() => onChoose(id)} /> {labels[id]}
      </label>
    ))}
  </fieldset>
);
