import { useEffect, useState } from 'preact/hooks';
import { count } from '../../../counted.ts';
import type { Budget, RunTree } from '../../api/answers.ts';
import { get, post } from '../client/api.ts';
import { dollars } from '../shared/figures.ts';
import { Dialog } from '../shared/dialog.tsx';
import { NumberField, numberOf } from '../shared/number-field.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { submitting } from '../shared/submitting.ts';
import { useAction } from '../shared/use-action.ts';

/** The budget and the use of a tree, and a form that adds to it. */
export function AddBudget({ top, onClose }: { top: string; onClose: () => void }) {
  const [tree, setTree] = useState<RunTree>();
  const [budget, setBudget] = useState<Budget>();
  const reading = useAction(async () => {
    const read = await get<RunTree>(`runs/${top}/tree`);
    setTree(read);
    setBudget(read.budget);
  });
  useEffect(() => reading.run(), []);
  const adding = useAction(async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const tokens = numberOf(data, 'max_tokens');
    const usd = numberOf(data, 'max_usd');
    const more = {
      ...(tokens !== undefined && { max_tokens: tokens }),
      ...(usd !== undefined && { max_usd: usd }),
    };
    setBudget(await post<Budget>(`runs/${top}/budget`, more));
    form.reset();
  });
  return (
    <Dialog title="Budget of the whole tree" onClose={onClose}>
      <ProblemText text={reading.error} />
      {tree !== undefined && (
        <p role="status">{budget === undefined ? 'It has no limits.' : spentText(tree, budget)}</p>
      )}
      {budget !== undefined && (
        <form onSubmit={submitting(adding.run)}>
          {budget.max_tokens !== undefined && <NumberField name="max_tokens" label="More tokens" min="1" />}
          {budget.max_usd !== undefined && (
            <NumberField name="max_usd" label="More dollars" min="0.000001" step="any" />
          )}
          {(budget.max_tokens !== undefined || budget.max_usd !== undefined) && (
            <button type="submit" class="main" aria-disabled={adding.isBusy}>
              Add
            </button>
          )}
          <ProblemText text={adding.error} />
        </form>
      )}
    </Dialog>
  );
}

function spentText({ tree }: RunTree, limits: Budget): string {
  const parts = [
    limits.max_tokens !== undefined &&
      `${count(tree.input_tokens + tree.output_tokens)} of ${count(limits.max_tokens)} tokens`,
    limits.max_usd !== undefined && `${dollars(tree.usd)} of ${dollars(limits.max_usd)}`,
    limits.max_turns !== undefined && `${count(tree.turns)} of ${count(limits.max_turns)} turns`,
    limits.max_tool_calls !== undefined &&
      `${count(tree.tool_calls)} of ${count(limits.max_tool_calls)} tool calls`,
  ];
  return `Used: ${parts.filter((part) => part !== false).join(', ')}.`;
}
