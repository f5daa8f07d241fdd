import { count } from '../../../counted.ts';
import type { Conversation } from '../../../core/reports/run-schemas.ts';
import { WholeText } from '../shared/whole-text.tsx';
import { wholeSystem } from './whole-texts.ts';

/** The parameters, tools and system prompt that a run was opened with. */
export function Setup({ run, conversation }: { run: string; conversation: Conversation }) {
  const { system, system_characters: characters, settings } = conversation;
  return (
    <details class="setup">
      <summary>Setup: parameters, tools, system prompt</summary>
      {settings !== undefined && (
        <>
          <p>{parametersOf(settings)}</p>
          <p>{settings.tools.length === 0 ? 'No tools' : `Tools: ${settings.tools.join(', ')}`}</p>
        </>
      )}
      {system === '' ? (
        <p>No system prompt</p>
      ) : (
        <WholeText text={system} characters={characters} whole={() => wholeSystem(run)} what="system prompt">
          <h3>System prompt</h3>
        </WholeText>
      )}
    </details>
  );
}

function parametersOf(settings: NonNullable<Conversation['settings']>): string {
  const { model, temperature, max_tokens: most, reasoning_effort: effort, mode, skill } = settings;
  return [
    model,
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(most > 0 ? [`at most ${count(most)} tokens an answer`] : []),
    ...(effort === undefined ? [] : [`reasoning effort ${effort}`]),
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(skill === undefined ? [] : [`skill ${skill}`]),
  ].join(' · ');
}
