/** The dialog of annotations: adds one, and changes or deletes those of the period. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ANNOTATION_CHARS_MAX } from "../../src/shared/limits.ts";
import { problemText } from "../api/http.ts";
import { addAnnotation, deleteAnnotation, replaceAnnotation, type Annotation } from "../api/saved.ts";
import type { NewAnnotation } from "../api/types.ts";
import { formatHour, formatRange } from "../format/locale.ts";
import { Dialog, PasswordRequired } from "../kit/dialog.tsx";
import { ConfirmedButton, Form, Radios } from "../kit/forms.tsx";
import { Button } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { timeZone } from "../state/known-sites.ts";
import { range, today } from "../state/period.ts";
import { useAction } from "../state/requests.ts";
import { closePanel, panel, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import {
  ANNOTATIONS_PANEL,
  annotationsChanged,
  canAnnotate,
  isWithin,
  parsePlace,
  parseSpan,
  spanInWords,
  useAnnotations,
  whenOf,
  type Place,
} from "./annotations.ts";

const hourText = (hour: number): string => formatHour(`2026-03-15 ${String(hour).padStart(2, "0")}:00`);

interface AnnotationFormProps {
  /** Initial place of a new annotation. */
  readonly place: Place;
  /** null for a new annotation. */
  readonly annotation: Annotation | null;
  readonly isBusy: boolean;
  readonly isFocused: boolean;
  readonly onSave: (annotation: NewAnnotation) => void;
  readonly onCancel: () => void;
}

function AnnotationForm({ place, annotation, isBusy, isFocused, onSave, onCancel }: AnnotationFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [date, setDate] = useState(annotation?.date ?? place.date);
  const [hour, setHour] = useState(annotation ? annotation.hour : place.hour);
  const [text, setText] = useState(annotation?.text ?? "");
  const [scope, setScope] = useState(annotation?.scope ?? "everybody");
  useLayoutEffect(() => {
    if (isFocused) input.current?.focus();
  }, []);
  return (
    <Form onSubmit={() => onSave({ date, hour, text: text.trim(), scope })}>
      <label>
        {words.annotations.text}
        <input
          ref={input}
          type="text"
          required
          maxLength={ANNOTATION_CHARS_MAX}
          autocomplete="off"
          placeholder={words.annotations.example}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="form-row">
        <label>
          {words.annotations.date}
          <input type="date" required value={date} onInput={(event) => setDate(event.currentTarget.value)} />
        </label>
        <label>
          {fill(words.annotations.time, { zone: timeZone.value })}
          <select
            value={hour === null ? "" : String(hour)}
            onChange={({ currentTarget: { value } }) => setHour(value === "" ? null : Number(value))}
          >
            <option value="">{words.annotations.allDay}</option>
            {Array.from({ length: 24 }, (_, each) => (
              <option key={each} value={String(each)}>
                {hourText(each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Radios
        legend={words.annotations.visibleTo}
        name="annotation-scope"
        labels={words.annotations.scopes}
        chosen={scope}
        onChoose={setScope}
      />
      <div class="form-buttons">
        <button type="submit" class="button primary" disabled={isBusy || text.trim() === "" || date === ""}>
          {annotation ? words.annotations.save : words.annotations.addNew}
        </button>
        <Button onClick={onCancel}>{words.annotations.cancel}</Button>
      </div>
    </Form>
  );
}

const TITLE = words.annotations.title;

interface Edited {
  readonly id: string | null;
  readonly isFocused: boolean;
}

/** The form is open for a place or a single annotation, and until it is saved. The list gets the focus once a pressed button disappears. */
function AnnotationsView({ siteId, at }: { readonly siteId: string; readonly at: string }) {
  const list = useRef<HTMLUListElement>(null);
  const annotations = useAnnotations();
  const [place, span] = [parsePlace(at), parseSpan(at)];
  /** null: the form is closed. `id` is null for a new annotation. */
  const [edited, setEdited] = useState<Edited | null>(span ? null : { id: place ? null : at, isFocused: false });
  const [done, setDone] = useState("");
  const { isBusy, problem, run } = useAction(problemText);
  const annotation = annotations.find(({ id }) => id === edited?.id) ?? null;

  function edit(id: string | null) {
    setDone("");
    setEdited({ id, isFocused: true });
  }
  function leave() {
    setEdited(null);
    list.current?.focus();
  }
  const change = (action: () => Promise<unknown>, text: string) =>
    void run(async () => {
      await action();
      leave();
      setDone(text);
      annotationsChanged();
    });
  useEffect(() => {
    if (span) list.current?.focus();
  }, []);
  const when = span ? spanInWords(span) : formatRange(range.value.start, range.value.end);
  const shown = span ? annotations.filter((each) => isWithin(span, each)) : annotations;
  const save = (saved: NewAnnotation) =>
    annotation
      ? change(() => replaceAnnotation(siteId, annotation.id, saved), words.annotations.saved)
      : change(() => addAnnotation(siteId, saved), words.annotations.added);
  return (
    <>
      <p class={done === "" ? "" : "notice good"} role="status">
        {done}
      </p>
      {edited && (
        <AnnotationForm
          key={annotation?.id}
          place={place ?? span?.from ?? { date: today.value, hour: null }}
          annotation={annotation}
          isBusy={isBusy}
          isFocused={edited.isFocused}
          onSave={save}
          onCancel={leave}
        />
      )}
      <Problem text={problem} />
      <ul class="annotations" ref={list} tabIndex={-1} aria-label={fill(words.annotations.of, { when })}>
        {shown.map((each) => (
          <li key={each.id}>
            <div>
              <strong>{each.text}</strong>
              <span class="dim">{each.scope === "oneself" ? fill(words.annotations.ofBrowser, { when: whenOf(each) }) : whenOf(each)}</span>
            </div>
            <button type="button" class="button small" onClick={() => edit(each.id)}>
              {words.annotations.edit}
              <span class="unseen"> {each.text}</span>
            </button>
            <ConfirmedButton
              isSmall
              label={words.annotations.delete}
              confirmLabel={words.annotations.confirm}
              subject={each.text}
              onConfirm={() => change(() => deleteAnnotation(siteId, each.id), words.annotations.deleted)}
            />
          </li>
        ))}
      </ul>
      {edited === null && <Button onClick={() => edit(null)}>{words.annotations.add}</Button>}
    </>
  );
}

export function AnnotationsPanel() {
  const at = panel.value?.slice(ANNOTATIONS_PANEL.length + 1) ?? "";
  if (!canAnnotate()) return <PasswordRequired title={TITLE}>{words.annotations.passwordNeeded}</PasswordRequired>;
  return (
    <Dialog title={TITLE} onClose={closePanel}>
      <AnnotationsView key={at} siteId={site.value ?? ""} at={at} />
    </Dialog>
  );
}
