import { useEffect, useState } from 'preact/hooks';
import type { AgentResource } from '../../api/answers.ts';
import { hrefOf } from '../route.ts';
import { Empty } from '../shared/empty.tsx';
import { counted } from '../shared/figures.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { Skeleton } from '../shared/skeleton.tsx';
import { visible } from '../shared/visible.ts';
import { AgentGraph } from './agent-graph.tsx';
import { calledBy, callersOf, copyingTools, levelsBelow, useAgents } from './use-agents.ts';

/** Every agent, and who may call whom: as a graph, and as a list that says the same. */
export function AgentsView() {
  const { list, problem } = useAgents();
  const [words, setWords] = useState('');
  const [focus, setFocus] = useState<string>();
  useEffect(() => void (document.title = 'Agents · Cadre'), []);
  if (list === undefined) {
    return (
      <div class="agents-view">
        <h1>Agents</h1>
        {problem === undefined ? <Skeleton height={420} /> : <ProblemText text={problem} />}
      </div>
    );
  }
  const { agents, faults } = list;
  const focused = agents.find(({ name }) => name === focus);
  const matches = (agent: AgentResource) => isMeant(agent, words);
  return (
    <div class="agents-view">
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
      {faults.map(({ agent, detail }) => (
        <p key={agent} class="problem">
          {visible(agent)} cannot be used: {visible(detail)}
        </p>
      ))}
      {agents.length === 0 ? (
        <Empty>
          <p>
            There is no agent here yet. Begin with <code>cadre init</code>.
          </p>
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
    </div>
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
  const copies = copyingTools(agent);
  const offered = tools.filter(({ permission }) => permission !== 'deny');
  const asking = offered.filter(({ permission }) => permission === 'ask').length;
  return (
    <li class={isFocused ? 'focused' : ''}>
      <div class="row-of-actions">
        <a href={hrefOf({ view: 'agent', name })}>
          <strong>{name}</strong>
        </a>
        <span class="muted code">{visible(model)}</span>
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
        {counted(offered.length, 'tool')}
        {asking > 0 && `, ${asking} of them ask first`}
        {typeof schedule?.next === 'string' && ` · next at ${new Date(schedule.next).toLocaleString()}`}
      </p>
      <Names label="May call" names={calledBy(agent)} />
      {copies.length > 0 && <p class="muted">Starts copies of itself by {copies.join(', ')}</p>}
      <Names label="Called by" names={callers} />
      {agent.calls.length > 0 && <p class="muted">At most {counted(config.max_depth, 'level')} below it</p>}
    </li>
  );
}

function Names({ label, names }: { label: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="muted">
      {label}{' '}
      {names.map((name, index) => (
        <>
          {index > 0 && ', '}
          <a key={name} href={hrefOf({ view: 'agent', name })}>
            {name}
          </a>
        </>
      ))}
    </p>
  );
}

function isMeant({ name, description, tools }: AgentResource, words: string): boolean {
  const text = [name, description, ...tools.map((tool) => tool.name)].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** An agent with its callers and all that it reaches. */
function around(name: string, agents: readonly AgentResource[]): AgentResource[] {
  const kept = new Set([...callersOf(name, agents), ...levelsBelow(name, agents).keys()]);
  return agents.filter((each) => kept.has(each.name));
}
