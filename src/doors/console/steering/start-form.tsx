import { useEffect, useState } from 'preact/hooks';
import type { AgentList, AgentResource, RunResource } from '../../api/answers.ts';
import { get, post } from '../client/api.ts';
import { go } from '../use-route.ts';
import { Skeleton } from '../shared/skeleton.tsx';
import { FileDrop } from './file-drop.tsx';
import { contextOf, type TextFile } from './text-files.ts';
import { NumberField, numberOf } from '../shared/number-field.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { useKeys } from './use-keys.ts';

/** Of the form, about, in pixels. */
const FORM_HEIGHT = 330;

export interface StartFormProps {
  /** The agent that was chosen elsewhere; absent: the first of all. */
  agent?: string | undefined;
  /** Whether it says which agents cannot start, and why. */
  tellsFaults?: boolean;
  onStarted?: () => void;
}

/** Which agent, what it is asked, and how far it may go; then the page shows the run. */
export function StartForm({ agent: wanted, tellsFaults = true, onStarted }: StartFormProps) {
  const [list, setList] = useState<AgentList>();
  const [chosen, setChosen] = useState('');
  const [files, setFiles] = useState<readonly TextFile[]>([]);
  const keyFor = useKeys();
  const reading = useAction(async () => {
    const read = await get<AgentList>('agents');
    setList(read);
    setChosen(wanted ?? read.agents[0]?.name ?? '');
  });
  useEffect(() => reading.run(), []);
  useEffect(() => {
    if (wanted !== undefined) setChosen(wanted);
  }, [wanted]);
  const starting = useAction(async (form: HTMLFormElement) => {
    const body = bodyOf(new FormData(form), files);
    const headers = { 'idempotency-key': keyFor(JSON.stringify([chosen, body])) };
    const { run_id: top } = await post<RunResource>(
      `agents/${encodeURIComponent(chosen)}/runs`,
      body,
      headers,
    );
    onStarted?.();
    go({ view: 'run', top, selected: top });
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) starting.run(event.currentTarget);
  };
  if (list === undefined && reading.error === undefined) return <Skeleton height={FORM_HEIGHT} />;
  if (list === undefined) {
    return (
      <>
        <ProblemText text={reading.error} />
        <button type="button" onClick={reading.run}>
          Try again
        </button>
      </>
    );
  }
  const agent = list.agents.find(({ name }) => name === chosen);
  return (
    <form class="start-form" onSubmit={submit}>
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
      {(tellsFaults ? list.faults : []).map(({ agent: name, detail }) => (
        <p key={name} class="problem">
          {name} cannot start: {detail}
        </p>
      ))}
      {agent !== undefined && (
        <Asked agent={agent} isBusy={starting.isBusy} files={files} onFiles={setFiles} />
      )}
      <ProblemText text={starting.error} />
    </form>
  );
}

interface AskedProps {
  agent: AgentResource;
  isBusy: boolean;
  files: readonly TextFile[];
  onFiles: (files: readonly TextFile[]) => void;
}

function Asked({ agent, isBusy, files, onFiles }: AskedProps) {
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
        <textarea name="context" rows={2} />
      </label>
      <FileDrop files={files} onFiles={onFiles} />
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
function bodyOf(data: FormData, files: readonly TextFile[]): object {
  const given = (name: string) => {
    const text = data.get(name);
    return typeof text === 'string' ? text : '';
  };
  const asked = {
    prompt: given('prompt'),
    context: contextOf(given('context'), files),
    model: given('model'),
  };
  const texts = Object.entries(asked).filter(([, text]) => text.trim() !== '');
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
