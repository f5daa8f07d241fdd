import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { hasWords } from '../../../terms.ts';
import type { AgentList, RunList } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { atTop, filterOf, hrefOf } from '../route.ts';
import { readFilters } from '../runs/saved-filters.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useSettled } from '../shared/use-settled.ts';
import { visible } from '../shared/visible.ts';
import { stateName } from '../tree/state-words.ts';
import type { Command } from './keys.ts';

/** As many as fit into the list without it being searched by eye. */
const SHOWN = 12;

/** Finds views, agents, runs and actions by their names, and does what is chosen. */
export function Palette({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }) {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const found = useFound(words, commands);
  const chosen = found[Math.min(at, found.length - 1)];
  const inView = useRef<HTMLLIElement>(null);
  useEffect(() => inView.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const act = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = Math.max(0, found.length - 1);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(at + step > last ? 0 : at + step < 0 ? last : at + step);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      act(chosen);
    }
  };
  return (
    <Dialog title="Find" onClose={onClose}>
      <input
        type="text"
        class="frame-find"
        role="combobox"
        aria-label="Find views, agents, runs and actions"
        placeholder="Find views, agents, runs and actions"
        aria-expanded="true"
        aria-controls={list}
        {...(chosen && { 'aria-activedescendant': `${list}-${found.indexOf(chosen)}` })}
        autocomplete="off"
        autoFocus
        value={words}
        onInput={({ currentTarget }) => {
          setWords(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={list} role="listbox" aria-label="Found" class="frame-found">
        {found.map((command, index) => (
          <li
            key={`${command.hint} ${command.name}`}
            id={`${list}-${index}`}
            ref={command === chosen ? inView : null}
            role="option"
            aria-selected={command === chosen}
            onClick={() => act(command)}
          >
            <span class="cut">{command.name}</span> <span class="muted cut">{command.hint}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">Nothing here has such a name.</p>}
    </Dialog>
  );
}

/** What all of the words occur in: what is in view first, then agents and runs. */
function useFound(words: string, commands: readonly Command[]): Command[] {
  // Buttons of the view, as they are: what can be done with a mouse can be done from here.
  const [inView] = useState(commandsInView);
  const { data: agents } = useAnswer<AgentList>('agents');
  const { data: newest } = useAnswer<RunList>('runs?limit=20');
  const searched = useSettled(words.trim());
  const path = searched.length < 3 ? undefined : `runs?limit=10&text=${encodeURIComponent(searched)}`;
  const { data: others } = useAnswer<RunList>(path);
  const runs = new Map([...(newest?.runs ?? []), ...(others?.runs ?? [])].map((run) => [run.run_id, run]));
  const [saved] = useState(readFilters);
  const all = [
    ...inView,
    ...commands,
    ...saved.map(({ name, query }) =>
      link(visible(name), 'saved filter', hrefOf({ view: 'runs', filter: filterOf(query) })),
    ),
    ...(agents?.agents ?? []).map(({ name }) => link(name, 'agent', hrefOf({ view: 'agent', name }))),
    ...[...runs.values()].map((run) =>
      link(`${run.agent}: ${visible(run.task)}`, stateName(run), hrefOf(atTop(run.run_id))),
    ),
  ];
  return all
    .filter(({ name, hint }) => hasWords(`${name} ${hint}`, words))
    .slice(0, words === '' ? all.length : SHOWN);
}

function link(name: string, hint: string, href: string): Command {
  return { name, hint, run: () => (location.hash = href) };
}

function commandsInView(): Command[] {
  return [...document.querySelectorAll<HTMLElement>('main [data-commands]')].flatMap((group) =>
    [...group.querySelectorAll<HTMLElement>('button:not([aria-disabled=true]), a[href]')].map((button) => ({
      name: button.textContent ?? '',
      hint: group.getAttribute('aria-label') ?? 'in view',
      run: () => button.click(),
    })),
  );
}
