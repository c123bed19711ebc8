/** The dialog of annotations: adds one, and changes or deletes those of the period. */
import { useState } from "preact/hooks";
import { addAnnotation, deleteAnnotation, replaceAnnotation, type Annotation } from "../api/annotations.ts";
import { problemText } from "../api/http.ts";
import type { NewAnnotation } from "../api/types.ts";
import { ConfirmedButton } from "../components/confirmed-button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Problem } from "../components/states.tsx";
import { formatRange } from "../format/locale.ts";
import { PasswordRequired } from "../settings/password-required.tsx";
import { range, today } from "../state/period.ts";
import { useAction } from "../state/use-action.ts";
import { closePanel, panel, site } from "../state/view.ts";
import { AnnotationForm } from "./annotation-form.tsx";
import { ANNOTATIONS_PANEL, canAnnotate, parsePlace } from "./annotation-place.ts";
import { whenOf } from "./annotation-time.ts";
import { annotationsChanged, useAnnotations } from "./use-annotations.ts";

const TITLE = "Annotations";

interface ListProps {
  readonly annotations: readonly Annotation[];
  readonly onEdit: (annotation: Annotation) => void;
  readonly onDelete: (annotation: Annotation) => void;
}

const List = ({ annotations, onEdit, onDelete }: ListProps) => (
  <ul class="annotations" aria-label={`Annotations of ${formatRange(range.value.start, range.value.end)}`}>
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

function AnnotationsView({ siteId, at }: { readonly siteId: string; readonly at: string }) {
  const annotations = useAnnotations();
  /** The one that is changed: at first that of the URL, null for a new one. */
  const [editedId, setEditedId] = useState<string | null>(parsePlace(at) ? null : at);
  const [added, setAdded] = useState(0);
  const { isBusy, problem, run } = useAction(problemText);
  const edited = annotations.find(({ id }) => id === editedId) ?? null;

  const change = (action: () => Promise<unknown>) =>
    void run(async () => {
      await action();
      setEditedId(null);
      setAdded((count) => count + 1);
      annotationsChanged();
    });
  const save = (annotation: NewAnnotation) =>
    change(() => (edited ? replaceAnnotation(siteId, edited.id, annotation) : addAnnotation(siteId, annotation)));

  return (
    <>
      <AnnotationForm
        key={`${edited?.id} ${added}`}
        place={parsePlace(at) ?? { date: today.value, hour: null }}
        annotation={edited}
        isBusy={isBusy}
        onSave={save}
        onCancel={() => setEditedId(null)}
      />
      <Problem text={problem} />
      <List
        annotations={annotations}
        onEdit={({ id }) => setEditedId(id)}
        onDelete={({ id }) => change(() => deleteAnnotation(siteId, id))}
      />
    </>
  );
}

export function AnnotationsPanel() {
  const at = panel.value?.slice(ANNOTATIONS_PANEL.length + 1) ?? "";
  if (!canAnnotate())
    return <PasswordRequired title={TITLE}>Annotations require a password: without one, anyone could change them.</PasswordRequired>;
  return (
    <Dialog title={TITLE} onClose={closePanel}>
      <AnnotationsView siteId={site.value ?? ""} at={at} />
    </Dialog>
  );
}
