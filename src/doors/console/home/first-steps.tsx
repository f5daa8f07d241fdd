import type { AgentResource, RunResource } from '../../api/answers.ts';
import { atTop } from '../route.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { usePostOnce } from '../steering/use-post-once.ts';
import { go } from '../use-route.ts';

/** The agent that ships with Cadre and calls three others. A project of one's own has another that needs no key. */
const SHIPPED = 'digest';
const KEYLESS = 'offline/';

/** Facts, risks and things to do, for the three agents that it calls. */
const TEXT = `Cadre runs agents that call other agents. An agent is a TOML file with a prompt, a model, tools and limits. The agent digest calls three others at once: facts, risks and actions read the same text, and it writes one answer from what they found.
Each answer of a model and each result of a tool is stored before the run goes on, so 0 stored turns are paid for twice, even if the process dies. A run that was interrupted must be resumed with the button above its conversation, or with the command cadre resume.
Limits hold for the whole tree: 1 budget of tokens and dollars, 1 deadline and 1 depth bind an agent with all agents below it. Without limits in its file an agent may cost more than you expect, so set max_usd before you give it a model that costs money.
An agent that may run commands can do harm: the risk is yours unless its permissions ask a person first. Write permissions with "ask" for every tool that changes something, and answer its questions on this page.
The model offline/extractive is built in and needs no key, but it only picks sentences and writes none. Name a model of a provider in the file of an agent, and set its key, to get written answers. Ollama runs models on this machine and needs no key either.
Open the tree of this run now: the bars show when each agent was at work and when it waited. Click on an agent to read its conversation, write to it, or fork it.`;

export interface FirstStepsProps {
  agents: readonly AgentResource[];
  /** The environment that the server shows; undefined for a folder. */
  environment: string | undefined;
}

/** For a place in which nothing has run yet: one click that shows what a run is, and the commands to go on with. */
export function FirstSteps({ agents, environment }: FirstStepsProps) {
  const postOnce = usePostOnce();
  const shown =
    agents.find(({ name }) => name === SHIPPED) ?? agents.find(({ model }) => model.startsWith(KEYLESS));
  const starting = useAction(async () => {
    const body = { prompt: 'What matters here?', context: TEXT };
    const { run_id: top } = await postOnce<RunResource>(`agents/${shown?.name ?? SHIPPED}/runs`, body);
    go(atTop(top));
  });
  const at = environment === undefined ? '' : ` --env ${environment}`;
  const commands = [
    ['npx cadre agents init helper', 'writes an agent of your own: one file, which you edit'],
    [
      `echo "Cadre runs agents that call other agents." | npx cadre run helper${at} -p "What is said?"`,
      'runs it, and shows the run here, too',
    ],
    [`npx cadre runs${at}`, 'lists what has run'],
  ] as const;
  return (
    <section class="card home-first" aria-labelledby="home-first">
      <h2 id="home-first">Nothing has run here yet</h2>
      {shown !== undefined && (
        <>
          {shown.name === SHIPPED ? (
            <p>
              See four agents at work on a short text: <strong>{SHIPPED}</strong> calls three others, and
              answers from what they find. It takes seconds, needs no key and costs nothing.
            </p>
          ) : (
            <p>
              See <strong>{shown.name}</strong> at work on a short text. It takes seconds, needs no key and
              costs nothing.
            </p>
          )}
          <button type="button" class="main" aria-disabled={starting.isBusy} onClick={starting.run}>
            Run {shown.name}
          </button>
          <ProblemText text={starting.error} />
        </>
      )}
      <h3>{shown === undefined ? 'Begin with an agent of your own' : 'Then go on with your own'}</h3>
      <ol>
        {commands.map(([command, what]) => (
          <li key={command}>
            <code>{command}</code> <CopyButton text={command} what={command} />
            <p class="muted">{what}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
