import { useEffect, useState } from 'preact/hooks';
import type { AgentList } from '../../api/answers.ts';
import { get } from '../client/api.ts';
import { type RunFilter } from '../route.ts';
import { go } from '../use-route.ts';
import { RUN_STATES } from '../tree/state-words.ts';

/** Which runs are listed. It is part of the address, so that the way back from a run leads to the same list. */
export function RunFilters({ filter }: { filter: RunFilter }) {
  const agents = useAgentNames();
  const set = (changed: RunFilter) => go({ view: 'runs', filter: { ...filter, ...changed } }, 'replace');
  return (
    <form class="filters" role="search" aria-label="Runs" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Agent</span>
        <select
          value={filter.agent ?? ''}
          onChange={({ currentTarget }) => set({ agent: currentTarget.value })}
        >
          <option value="">all</option>
          {[...new Set([...agents, ...(filter.agent === undefined ? [] : [filter.agent])])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>State</span>
        <select
          value={filter.status ?? ''}
          onChange={({ currentTarget }) => set({ status: currentTarget.value })}
        >
          <option value="">all</option>
          {RUN_STATES.map(([status, name]) => (
            <option key={status} value={status}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TextFilter text={filter.text ?? ''} onText={(text) => set({ text })} />
    </form>
  );
}

/** Too short for a person to notice, and long enough not to ask for every letter. */
const TYPING_MS = 250;

function TextFilter({ text, onText }: { text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => onText(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label>
      <span>Task or error</span>
      <input type="search" value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
    </label>
  );
}

function useAgentNames(): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    const ending = new AbortController();
    // The list of runs shows the server's faults.
    get<AgentList>('agents', ending.signal).then(
      ({ agents }) => setNames(agents.map(({ name }) => name)),
      () => {},
    );
    return () => ending.abort();
  }, []);
  return names;
}
