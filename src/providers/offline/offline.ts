import { ModelError } from '../../errors.ts';
import { abortCause } from '../../core/records/abort.ts';
import { estimateUsage } from '../../core/model/estimate.ts';
import type { Model, ModelRequest } from '../../core/model/model.ts';
import type { ToolCall } from '../../core/records/message.ts';
import { agentNames, givenBy, type Given } from './given.ts';
import { chooseSentences } from './rank.ts';
import { passagesOf } from './passages.ts';

/** The one model there is: `offline/extractive`. */
const EXTRACTIVE = 'extractive';

/**
 * `offline/extractive`: no language model, but a deterministic stand-in that needs no account, key or network. It
 * calls each agent that it may call once, with the task and the text it was given, and then answers with the
 * sentences that matter most, as they stand in what it was given. It never writes a sentence of its own but one: that
 * there was nothing to read. Token counts are estimates.
 */
export function createOfflineModel(): Model {
  return {
    async send(request, signal, onDelta) {
      if (signal.aborted) throw abortCause(signal);
      if (request.model !== EXTRACTIVE) {
        throw new ModelError(
          'bad_request',
          `no model "${request.model}" offline: there is only offline/${EXTRACTIVE}`,
        );
      }
      if (request.outputSchema !== undefined) {
        throw new ModelError(
          'bad_request',
          `offline/${EXTRACTIVE} picks sentences and cannot answer with JSON: an agent with [output] needs another model`,
        );
      }
      const given = givenBy(request);
      const calls = given.results === undefined ? callsFor(request, given) : [];
      if (calls.length > 0) {
        return {
          text: '',
          calls,
          stopReason: 'tool_calls',
          rawStopReason: 'tool_calls',
          usage: estimateUsage(request, { text: '', calls }),
        };
      }
      const text = answer(given);
      onDelta?.({ type: 'text', text });
      return {
        text,
        calls,
        stopReason: 'end',
        rawStopReason: 'end',
        usage: estimateUsage(request, { text, calls }),
      };
    },
  };
}

const DEFAULT_TASK = 'Say what matters most in the given text';

function callsFor(request: ModelRequest, given: Given): ToolCall[] {
  const name = 'call_agent';
  const task = given.task.trim() === '' ? DEFAULT_TASK : given.task;
  const context = given.isShared ? '' : given.material;
  return agentNames(request.tools.find((tool) => tool.name === name)).map((agent, index) => ({
    id: `offline_${index}`,
    name,
    arguments: context === '' ? { agent, task } : { agent, task, context },
  }));
}

const NOTHING_TO_READ =
  'There was no text to pick sentences from, which is all that offline/extractive does.';

const FEWEST = 4;
const MOST = 6;

function answer({ task, material, role, results = [] }: Given): string {
  const source = passagesOf(material);
  const known = new Set(source);
  const reported = results
    .filter((result) => !result.isError && result.text !== NOTHING_TO_READ)
    .flatMap((result) => toSentences(result.text, known));
  const pool = inOrderOf(source, reported.length > 0 ? reported : source);
  const count = Math.min(MOST, Math.max(FEWEST, Math.ceil(Math.sqrt(pool.length))));
  const chosen = chooseSentences(pool, [task, role], count).map((position) => pool[position]);
  return chosen.length > 0 ? chosen.join('\n\n') : NOTHING_TO_READ;
}

/** The pick of another offline agent is taken as it stands. */
function toSentences(text: string, known: ReadonlySet<string>): string[] {
  const paragraphs = text.split('\n\n');
  return paragraphs.every((paragraph) => known.has(paragraph)) ? paragraphs : passagesOf(text);
}

/** Each sentence once, in the order of the source as far as they come from it, the others after them. */
function inOrderOf(source: readonly string[], sentences: readonly string[]): string[] {
  const wanted = new Set(sentences);
  const found = new Set(source.filter((sentence) => wanted.has(sentence)));
  return [...found, ...wanted].filter((sentence, index) => index < found.size || !found.has(sentence));
}
