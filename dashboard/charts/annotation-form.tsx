/** The form of an annotation: when, what, and for whom. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Annotation } from "../api/annotations.ts";
import type { NewAnnotation } from "../api/types.ts";
import { Radios } from "../kit/radios.tsx";
import { formatHour } from "../format/locale.ts";
import { timeZone } from "../state/known-sites.ts";
import type { Place } from "./annotation-place.ts";

/** The service's limit. */
const TEXT_CHARS_MAX = 200;

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

const SCOPES: Readonly<Record<Annotation["scope"], string>> = { everybody: "Everybody", oneself: "Only me" };

const hourText = (hour: number): string => formatHour(`2026-03-15 ${String(hour).padStart(2, "0")}:00`);

interface AnnotationFormProps {
  /** Of a new one. */
  readonly place: Place;
  /** The one that is changed; null for a new one. */
  readonly annotation: Annotation | null;
  readonly isBusy: boolean;
  /** Whether the text has the focus. */
  readonly isFocused: boolean;
  readonly onSave: (annotation: NewAnnotation) => void;
  /** Only where one is changed. */
  readonly onCancel: () => void;
}

export function AnnotationForm({ place, annotation, isBusy, isFocused, onSave, onCancel }: AnnotationFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [date, setDate] = useState(annotation?.date ?? place.date);
  const [hour, setHour] = useState(annotation ? annotation.hour : place.hour);
  const [text, setText] = useState(annotation?.text ?? "");
  const [scope, setScope] = useState(annotation?.scope ?? "everybody");
  useLayoutEffect(() => {
    if (isFocused) input.current?.focus();
  }, []);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ date, hour, text: text.trim(), scope });
      }}
    >
      <label>
        Text
        <input
          ref={input}
          type="text"
          required
          maxLength={TEXT_CHARS_MAX}
          autocomplete="off"
          placeholder="What happened, such as: Deployed version 1.2"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="form-row">
        <label>
          Date
          <input type="date" required value={date} onInput={(event) => setDate(event.currentTarget.value)} />
        </label>
        <label>
          Time ({timeZone.value})
          <select
            value={hour === null ? "" : String(hour)}
            onChange={({ currentTarget: { value } }) => setHour(value === "" ? null : Number(value))}
          >
            <option value="">All day</option>
            {HOURS.map((each) => (
              <option key={each} value={String(each)}>
                {hourText(each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Radios legend="Visible to" name="annotation-scope" labels={SCOPES} chosen={scope} onChoose={setScope} />
      <div class="form-buttons">
        <button type="submit" class="button primary" disabled={isBusy || text.trim() === "" || date === ""}>
          {annotation ? "Save" : "Add annotation"}
        </button>
        {annotation && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}
