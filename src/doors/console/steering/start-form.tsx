import { useEffect, useState } from 'preact/hooks';
import type { AgentList, AgentResource, RunResource } from '../../api/answers.ts';
import { get, post } from '../client/api.ts';
import { go } from '../use-route.ts';
import { NumberField, numberOf } from '../shared/number-field.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { useKeys } from './use-keys.ts';

export interface StartFormProps {
  /** The agent that is chosen at first; absent: the first of all. */
  agent?: string;
  onStarted: () => void;
}

/** Which agent, what it is asked, and how far it may go; then the page shows the run. */
export function StartForm({ agent: wanted, onStarted }: StartFormProps) {
  const [list, setList] = useState<AgentList>();
  const [chosen, setChosen] = useState('');
  const keyFor = useKeys();
  const reading = useAction(async () => {
    const read = await get<AgentList>('agents');
    setList(read);
    setChosen(wanted ?? read.agents[0]?.name ?? '');
  });
  useEffect(() => reading.run(), []);
  const starting = useAction(async (form: HTMLFormElement) => {
    const body = bodyOf(new FormData(form));
    const headers = { 'idempotency-key': keyFor(JSON.stringify([chosen, body])) };
    const { run_id: top } = await post<RunResource>(
      `agents/${encodeURIComponent(chosen)}/runs`,
      body,
      headers,
    );
    onStarted();
    go({ view: 'run', top, selected: top });
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) starting.run(event.currentTarget);
  };
  if (list === undefined) return <ProblemText text={reading.error} />;
  const agent = list.agents.find(({ name }) => name === chosen);
  return (
    <form onSubmit={submit}>
      {list.agents.length === 0 ? (
        <p>There is no agent here yet.</p>
      ) : (
        <label>
          Agent
          <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {list.agents.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {list.faults.map(({ agent: name, detail }) => (
        <p key={name} class="problem">
          {name} cannot start: {detail}
        </p>
      ))}
      {agent !== undefined && <Asked key={agent.name} agent={agent} isBusy={starting.isBusy} />}
      <ProblemText text={starting.error} />
    </form>
  );
}

function Asked({ agent, isBusy }: { agent: AgentResource; isBusy: boolean }) {
  const { description, model, timeout, budget } = agent;
  const most = (limit: number) => (limit > 0 ? String(limit) : undefined);
  const upTo = (limit: number) => (limit > 0 ? ` (at most ${limit})` : '');
  return (
    <>
      {description !== '' && <p>{description}</p>}
      <label>
        What it is asked
        <textarea name="prompt" rows={3} />
      </label>
      <label>
        Text that it is about
        <textarea name="context" rows={3} />
      </label>
      <details>
        <summary>Model and limits</summary>
        <label>
          Model
          <input name="model" placeholder={model} />
        </label>
        <NumberField name="timeout" label={`Seconds${upTo(timeout)}`} min="1" max={most(timeout)} />
        {LIMITS.map(({ name, label, ...range }) => (
          <NumberField
            key={name}
            name={name}
            label={`${label}${upTo(budget[name])}`}
            max={most(budget[name])}
            {...range}
          />
        ))}
      </details>
      <button type="submit" class="main" aria-disabled={isBusy}>
        Start
      </button>
    </>
  );
}

const LIMITS = [
  { name: 'max_tokens', label: 'Tokens', min: '1' },
  { name: 'max_usd', label: 'Dollars', min: '0.000001', step: 'any' },
  { name: 'max_turns', label: 'Turns', min: '1' },
  { name: 'max_tool_calls', label: 'Tool calls', min: '1' },
] as const;

/** The filled-in form, as the API takes it. */
function bodyOf(data: FormData): object {
  const texts = ['prompt', 'context', 'model'].flatMap((name) => {
    const text = data.get(name);
    return typeof text === 'string' && text.trim() !== '' ? [[name, text] as const] : [];
  });
  const limits = LIMITS.flatMap(({ name }) => {
    const number = numberOf(data, name);
    return number === undefined ? [] : [[name, number] as const];
  });
  const timeout = numberOf(data, 'timeout');
  return {
    ...Object.fromEntries(texts),
    ...(timeout !== undefined && { timeout }),
    ...(limits.length > 0 && { budget: Object.fromEntries(limits) }),
  };
}
