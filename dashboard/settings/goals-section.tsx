/** Goals in a site's settings: add, edit, move, delete. */
import { useEffect, useState } from "preact/hooks";
import { problemText } from "../api/http.ts";
import { addGoal, deleteGoal, listGoals, replaceGoal, type SiteGoal } from "../api/site.ts";
import type { SiteGoals } from "../api/types.ts";
import { ConfirmedButton } from "../kit/forms.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction, reloadAll } from "../state/requests.ts";
import { definitionText, draftOf, EMPTY_GOAL, GoalForm, newGoal } from "./goal-form.tsx";

interface GoalItemProps {
  readonly goal: SiteGoal;
  readonly isLast: boolean;
  readonly onEdit: () => void;
  readonly onMove: (position: number) => void;
  readonly onDelete: () => void;
}

const GoalItem = ({ goal, isLast, onEdit, onMove, onDelete }: GoalItemProps) => {
  const definition = goal.page === null ? `Event ${definitionText(goal)}` : definitionText(goal);
  return (
    <li class="goal">
      <div class="goal-text">
        <h3>{goal.name}</h3>
        <p class="dim">{[...(definition === goal.name ? [] : [definition]), ...(goal.revenue ? ["with revenue"] : [])].join(" · ")}</p>
      </div>
      <div class="goal-tools">
        <button
          type="button"
          class="icon-button"
          aria-label={`Move ${goal.name} up`}
          aria-disabled={goal.position === 1}
          onClick={() => goal.position > 1 && onMove(goal.position - 1)}
        >
          ↑
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`Move ${goal.name} down`}
          aria-disabled={isLast}
          onClick={() => !isLast && onMove(goal.position + 1)}
        >
          ↓
        </button>
        <button type="button" class="button small" onClick={onEdit}>
          Edit<span class="unseen"> {goal.name}</span>
        </button>
        <ConfirmedButton isSmall label="Delete" confirmLabel="Confirm delete" subject={goal.name} onConfirm={onDelete} />
      </div>
    </li>
  );
};

/** Reloads the list after each change. */
function useGoals(siteId: string) {
  const [goals, setGoals] = useState<SiteGoals | null>(null);
  const { problem, run } = useAction(problemText);
  async function load() {
    setGoals(await listGoals(siteId));
  }
  /** @throws ServiceError if the service refuses it */
  async function change(action: () => Promise<unknown>): Promise<void> {
    await action();
    await load();
    reloadAll();
  }
  useEffect(() => void run(load), []);
  return { goals, problem, change, tryChange: (action: () => Promise<unknown>) => void run(() => change(action)) };
}

export function GoalsSection({ siteId }: { readonly siteId: string }) {
  const { goals, problem, change, tryChange } = useGoals(siteId);
  const [edited, setEdited] = useState<string | null>(null);
  /** Resets the form after each new goal. */
  const [added, setAdded] = useState(0);
  return (
    <section class="panel" aria-labelledby="goals-title">
      <h2 id="goals-title">Goals</h2>
      <p class="dim">
        What you want visitors to do: see a page, or trigger an event. Goals also count what happened before they were added. All other
        custom events are listed below them.
      </p>
      <Problem text={problem} />
      {goals?.length === 0 && <p class="empty">No goals yet</p>}
      <ol class="goals" aria-label="Goals">
        {goals?.map((goal) =>
          goal.id === edited ? (
            <li key={goal.id} class="goal">
              <GoalForm
                title={`Goal ${goal.name}`}
                first={draftOf(goal)}
                submitLabel="Save"
                onSubmit={async (draft) => {
                  await change(() => replaceGoal(siteId, goal.id, newGoal(draft)));
                  setEdited(null);
                }}
                onCancel={() => setEdited(null)}
              />
            </li>
          ) : (
            <GoalItem
              key={goal.id}
              goal={goal}
              isLast={goal.position === goals.length}
              onEdit={() => setEdited(goal.id)}
              onMove={(position) => tryChange(() => replaceGoal(siteId, goal.id, { ...goal, position }))}
              onDelete={() => tryChange(() => deleteGoal(siteId, goal.id))}
            />
          ),
        )}
      </ol>
      {edited === null && (
        <>
          <h3>New goal</h3>
          <GoalForm
            key={added}
            title="New goal"
            first={EMPTY_GOAL}
            submitLabel="Add goal"
            onSubmit={async (draft) => {
              await change(() => addGoal(siteId, newGoal(draft)));
              setAdded(added + 1);
            }}
          />
        </>
      )}
    </section>
  );
}
