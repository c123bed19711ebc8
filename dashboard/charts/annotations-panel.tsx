/** The dialog of annotations: adds one, and changes or deletes those of the period. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { addAnnotation, deleteAnnotation, replaceAnnotation, type Annotation } from "../api/annotations.ts";
import { problemText } from "../api/http.ts";
import type { NewAnnotation } from "../api/types.ts";
import { ConfirmedButton } from "../kit/confirmed-button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Problem } from "../kit/states.tsx";
import { formatRange } from "../format/locale.ts";
import { PasswordRequired } from "../kit/password-required.tsx";
import { range, today } from "../state/period.ts";
import { useAction } from "../state/use-action.ts";
import { closePanel, panel, site } from "../state/view.ts";
import { AnnotationForm } from "./annotation-form.tsx";
import { ANNOTATIONS_PANEL, canAnnotate, isWithin, parsePlace, parseSpan } from "./annotation-place.ts";
import { spanInWords, whenOf } from "./annotation-time.ts";
import { annotationsChanged, useAnnotations } from "./use-annotations.ts";

const TITLE = "Annotations";

interface ListProps {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly when: string;
  readonly annotations: readonly Annotation[];
  readonly onEdit: (annotation: Annotation) => void;
  readonly onDelete: (annotation: Annotation) => void;
}

const List = ({ list, when, annotations, onEdit, onDelete }: ListProps) => (
  <ul class="annotations" ref={list} tabIndex={-1} aria-label={`Annotations of ${when}`}>
    {annotations.map((annotation) => (
      <li key={annotation.id}>
        <div>
          <strong>{annotation.text}</strong>
          <span class="dim">
            {whenOf(annotation)}
            {annotation.scope === "oneself" && ", only you"}
          </span>
        </div>
        <button type="button" class="button small" onClick={() => onEdit(annotation)}>
          Edit<span class="unseen"> {annotation.text}</span>
        </button>
        <ConfirmedButton isSmall label="Delete" confirmLabel="Confirm" subject={annotation.text} onConfirm={() => onDelete(annotation)} />
      </li>
    ))}
  </ul>
);

/** What the form is for: one that is changed, or a new one. */
interface Edited {
  readonly id: string | null;
  readonly isFocused: boolean;
}

/** The form and its changes. `list` gets the focus after one, which the pressed button is gone by. */
function useEdited(siteId: string, at: string, list: RefObject<HTMLUListElement | null>) {
  const annotations = useAnnotations();
  const isPlace = parsePlace(at) !== null || parseSpan(at) !== null;
  const [edited, setEdited] = useState<Edited>({ id: isPlace ? null : at, isFocused: false });
  const [changes, setChanges] = useState(0);
  const { isBusy, problem, run } = useAction(problemText);
  const annotation = annotations.find(({ id }) => id === edited.id) ?? null;

  function leave() {
    setEdited({ id: null, isFocused: false });
    list.current?.focus();
  }
  const change = (action: () => Promise<unknown>) =>
    void run(async () => {
      await action();
      leave();
      setChanges((count) => count + 1);
      annotationsChanged();
    });
  return {
    annotations,
    problem,
    edit: ({ id }: Annotation) => setEdited({ id, isFocused: true }),
    remove: ({ id }: Annotation) => change(() => deleteAnnotation(siteId, id)),
    form: {
      key: `${annotation?.id} ${changes}`,
      annotation,
      isBusy,
      isFocused: edited.isFocused,
      onCancel: leave,
      onSave: (saved: NewAnnotation) =>
        change(() => (annotation ? replaceAnnotation(siteId, annotation.id, saved) : addAnnotation(siteId, saved))),
    },
  };
}

/** Those of a mark come before the form, which then adds another one there. */
function AnnotationsView({ siteId, at }: { readonly siteId: string; readonly at: string }) {
  const list = useRef<HTMLUListElement>(null);
  const { annotations, problem, edit, remove, form } = useEdited(siteId, at, list);
  const span = parseSpan(at);
  useEffect(() => {
    if (span) list.current?.focus();
  }, []);
  const { key, ...rest } = form;
  const parts = [
    <div key="form">
      <AnnotationForm key={key} place={parsePlace(at) ?? span?.from ?? { date: today.value, hour: null }} {...rest} />
      <Problem text={problem} />
    </div>,
    <List
      key="list"
      list={list}
      when={span ? spanInWords(span) : formatRange(range.value.start, range.value.end)}
      annotations={span ? annotations.filter((annotation) => isWithin(span, annotation)) : annotations}
      onEdit={edit}
      onDelete={remove}
    />,
  ];
  return <>{span ? parts.toReversed() : parts}</>;
}

export function AnnotationsPanel() {
  const at = panel.value?.slice(ANNOTATIONS_PANEL.length + 1) ?? "";
  if (!canAnnotate())
    return <PasswordRequired title={TITLE}>Annotations require a password: without one, anyone could change them.</PasswordRequired>;
  return (
    <Dialog title={TITLE} onClose={closePanel}>
      <AnnotationsView key={at} siteId={site.value ?? ""} at={at} />
    </Dialog>
  );
}
