import { useEffect, useRef, useState } from 'preact/hooks';
import type { AgentList } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { queryOf, type RunFilter } from '../route.ts';
import { submitting } from '../shared/submitting.ts';
import { TYPING_MS } from '../shared/use-settled.ts';
import { visible } from '../shared/visible.ts';
import { RUN_STATES } from '../tree/state-words.ts';
import { go } from '../use-route.ts';

/** How far back runs are listed, as the API takes it. */
const TIMES = { '24h': 'last 24 hours', '7d': 'last 7 days', '30d': 'last 30 days' };

/** Which runs are listed. It is part of the address, so that the way back from a run leads to the same list. */
export function RunFilters({ filter }: { filter: RunFilter }) {
  const { data } = useAnswer<AgentList>('agents');
  const names = (data?.agents ?? []).map(({ name }) => name);
  const set = (changed: RunFilter) => go({ view: 'runs', filter: { ...filter, ...changed } }, 'replace');
  const { agent, status, since, tag: tags = [], text = '', ...rest } = filter;
  return (
    <form class="runs-filters" role="search" aria-label="Runs" onSubmit={submitting(() => {})}>
      <TextFilter text={text} onText={(changed) => set({ text: changed })} />
      <Choice
        name="Agent"
        value={agent}
        options={named(names)}
        onChoice={(chosen) => set({ agent: chosen })}
      />
      <Choice
        name="State"
        value={status}
        options={RUN_STATES}
        onChoice={(chosen) => set({ status: chosen })}
      />
      <Choice
        name="Begun"
        value={since}
        options={Object.entries(TIMES)}
        onChoice={(chosen) => set({ since: chosen })}
      />
      <TagFilter onTag={(tag) => set({ tag: [...tags.filter((other) => other !== tag), tag] })} />
      {tags.map((tag) => (
        <Chip key={tag} what={tag} onRemove={() => set({ tag: tags.filter((other) => other !== tag) })} />
      ))}
      {Object.entries(rest).map(([name, value]) => (
        <Chip key={name} what={`${name}: ${String(value)}`} onRemove={() => set({ [name]: '' })} />
      ))}
      {queryOf(filter) !== '' && (
        <button type="button" class="plain" onClick={() => go({ view: 'runs', filter: {} }, 'replace')}>
          Clear
        </button>
      )}
    </form>
  );
}

function named(names: readonly string[]): [value: string, name: string][] {
  return names.map((name) => [name, name]);
}

interface ChoiceProps {
  name: string;
  value: string | undefined;
  options: readonly (readonly [value: string, name: string])[];
  onChoice: (value: string) => void;
}

function Choice({ name, value = '', options, onChoice }: ChoiceProps) {
  // An address may have one that is not offered.
  const isOther = value !== '' && !options.some(([each]) => each === value);
  return (
    <label>
      <span>{name}</span>
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        <option value="">all</option>
        {[...options, ...(isOther ? named([value]) : [])].map(([each, words]) => (
          <option key={each} value={each}>
            {visible(words)}
          </option>
        ))}
      </select>
    </label>
  );
}

function TextFilter({ text, onText }: { text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const told = useRef(text);
  useEffect(() => {
    // Another filter was chosen; what was typed since the words were told is not to be lost.
    if (text !== told.current) setTyped(text);
    told.current = text;
  }, [text]);
  useEffect(() => {
    if (typed === text) return;
    const tell = () => {
      told.current = typed;
      onText(typed);
    };
    const timer = setTimeout(tell, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="runs-words">
      <span>Words</span>
      <input
        type="search"
        placeholder="in tasks, answers, conversations, errors"
        maxLength={200}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}

function TagFilter({ onTag }: { onTag: (tag: string) => void }) {
  const [typed, setTyped] = useState('');
  return (
    <label>
      <span>Tag</span>
      <input
        class="runs-tag"
        placeholder="key=value"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key !== 'Enter' || !/^[^=]+=/.test(typed)) return;
          onTag(typed.trim());
          setTyped('');
        }}
      />
    </label>
  );
}

function Chip({ what, onRemove }: { what: string; onRemove: () => void }) {
  return (
    <span class="runs-chip">
      {visible(what)}
      <button type="button" class="plain" aria-label={`Leave out ${what}`} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}
