import { useState } from 'preact/hooks';
import { counted } from '../../../counted.ts';
import { hasWords } from '../../../terms.ts';
import type { AgentList, AgentResource } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { hrefOf } from '../route.ts';
import { Answered } from '../shared/answered.tsx';
import { Empty } from '../shared/empty.tsx';
import { useTitle } from '../shared/use-title.ts';
import { visible } from '../shared/visible.ts';
import { AgentCalls } from './agent-calls.tsx';
import { AgentFaults } from './agent-faults.tsx';
import { AgentGraph } from './agent-graph.tsx';
import { callersOf, levelsBelow } from './calls.ts';

/** Every agent, and who may call whom: as a graph, and as a list that says the same. */
export function AgentsView() {
  const answer = useAnswer<AgentList>('agents');
  useTitle('Agents');
  return (
    <div class="agents-view">
      {answer.data === undefined && <h1>Agents</h1>}
      <Answered answer={answer} height={420}>
        {(list) => <Agents {...list} />}
      </Answered>
    </div>
  );
}

function Agents({ agents, faults }: AgentList) {
  const [words, setWords] = useState('');
  const [focus, setFocus] = useState<string>();
  const focused = agents.find(({ name }) => name === focus);
  const matches = ({ name, description, tools }: AgentResource) =>
    hasWords([name, description, ...tools.map((tool) => tool.name)].join(' '), words);
  return (
    <>
      <div class="row-of-actions">
        <h1>Agents</h1>
        <span class="muted">{counted(agents.length, 'agent')}</span>
        <label class="agents-search">
          Search{' '}
          <input
            type="search"
            value={words}
            placeholder="name, description or tool"
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </label>
        {focused !== undefined && (
          <span class="row-of-actions">
            Only {focused.name}, its callers and what it reaches
            <button type="button" onClick={() => setFocus(undefined)}>
              Show all
            </button>
          </span>
        )}
      </div>
      <AgentFaults faults={faults} />
      {agents.length === 0 ? (
        <Empty>
          There is no agent here yet. Begin with <code>cadre init</code>.
        </Empty>
      ) : (
        <div class="agents-split">
          <AgentGraph
            key={focus ?? ''}
            agents={focused === undefined ? agents : around(focused.name, agents)}
            top={focused}
            isMeant={matches}
          />
          <ul class="agents-list" aria-label="All agents">
            {agents.filter(matches).map((agent) => (
              <AgentItem
                key={agent.name}
                agent={agent}
                callers={callersOf(agent.name, agents)}
                isFocused={agent.name === focus}
                onFocus={() => setFocus(agent.name === focus ? undefined : agent.name)}
              />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

interface AgentItemProps {
  agent: AgentResource;
  callers: readonly string[];
  isFocused: boolean;
  onFocus: () => void;
}

function AgentItem({ agent, callers, isFocused, onFocus }: AgentItemProps) {
  const { name, description, model, tools, sub_agents_config: config, schedule } = agent;
  const offered = tools.filter(({ permission }) => permission !== 'deny');
  const asking = offered.filter(({ permission }) => permission === 'ask').length;
  return (
    <li class={isFocused ? 'focused' : ''}>
      <div class="row-of-actions">
        <a href={hrefOf({ view: 'agent', name })}>
          <strong>{name}</strong>
        </a>
        <button
          type="button"
          class="plain"
          aria-pressed={isFocused}
          onClick={onFocus}
          aria-label={`Focus on ${name}`}
        >
          Focus
        </button>
      </div>
      {description !== '' && <p>{visible(description)}</p>}
      <p class="muted">
        <span class="code">{visible(model)}</span> · {counted(offered.length, 'tool')}
        {asking > 0 && `, ${asking} of them ask first`}
        {typeof schedule?.next === 'string' && ` · next at ${new Date(schedule.next).toLocaleString()}`}
      </p>
      <AgentCalls agent={agent} callers={callers} />
      {agent.calls.length > 0 && <p class="muted">At most {counted(config.max_depth, 'level')} below it</p>}
    </li>
  );
}

/** An agent with its callers and all that it reaches. */
function around(name: string, agents: readonly AgentResource[]): AgentResource[] {
  const kept = new Set([...callersOf(name, agents), ...levelsBelow(name, agents).keys()]);
  return agents.filter((each) => kept.has(each.name));
}
