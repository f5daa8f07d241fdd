import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AgentFaults } from '../agents/agent-faults.tsx';
import type { AgentList, AgentResource, RunResource } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { atTop } from '../route.ts';
import { Answered } from '../shared/answered.tsx';
import { NumberField, numberOf } from '../shared/number-field.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { submitting } from '../shared/submitting.ts';
import { TextArea } from '../shared/text-area.tsx';
import { useAction } from '../shared/use-action.ts';
import { useDraft } from '../shared/use-draft.ts';
import { go } from '../use-route.ts';
import { FileDrop, useFiles, type GivenFiles } from './file-drop.tsx';
import { contextOf, NO_FILES, type TextFile } from './text-files.ts';
import { attach } from './upload.ts';
import { usePostOnce } from './use-post-once.ts';

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
  const answer = useAnswer<AgentList>('agents');
  const [chosen, setChosen] = useState(wanted);
  const [prompt, setPrompt] = useDraft('start prompt', '');
  const [context, setContext] = useDraft('start context', '');
  const given = useFiles(...useDraft('start files', NO_FILES));
  const { files, dropping } = given;
  const postOnce = usePostOnce();
  useEffect(() => setChosen(wanted), [wanted]);
  const starting = useAction(async (name: string, form: HTMLFormElement) => {
    const body = { ...bodyOf(new FormData(form), files), ...(await attach(files)) };
    const { run_id: top } = await postOnce<RunResource>(`agents/${encodeURIComponent(name)}/runs`, body);
    setPrompt('');
    setContext('');
    given.onFiles(NO_FILES);
    onStarted?.();
    go(atTop(top));
  });
  return (
    <Answered answer={answer} height={FORM_HEIGHT}>
      {({ agents, faults }) => {
        const agent = agents.find(({ name }) => name === chosen) ?? agents[0];
        const submit = (form: HTMLFormElement) => agent !== undefined && starting.run(agent.name, form);
        return (
          <form class="start-form" onSubmit={submitting(submit)} {...dropping}>
            {agents.length === 0 ? (
              <p>There is no agent here yet.</p>
            ) : (
              <label>
                Agent
                <select value={agent?.name} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                  {agents.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            )}
            {tellsFaults && <AgentFaults faults={faults} />}
            {agent !== undefined && (
              <Asked agent={agent} isBusy={starting.isBusy} given={given}>
                <TextArea label="What it is asked" name="prompt" rows={3} text={prompt} onText={setPrompt} />
                <TextArea label="Text that it is about" name="context" text={context} onText={setContext} />
              </Asked>
            )}
            <ProblemText text={starting.error} />
          </form>
        );
      }}
    </Answered>
  );
}

interface AskedProps {
  agent: AgentResource;
  isBusy: boolean;
  given: GivenFiles;
  /** The fields for texts. */
  children: ComponentChildren;
}

function Asked({ agent, isBusy, given, children }: AskedProps) {
  const { description, model, timeout, budget } = agent;
  const most = (limit: number) => (limit > 0 ? String(limit) : undefined);
  const upTo = (limit: number) => (limit > 0 ? ` (at most ${limit})` : '');
  return (
    <>
      {description !== '' && <p>{description}</p>}
      {children}
      <FileDrop {...given} />
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
