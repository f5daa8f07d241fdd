import type { Environment } from '../../../places/environment.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import { createAsker } from '../commands/ask-here.ts';
import type { Keyboard, RunIo, Screen } from '../terminal/io.ts';
import { openLineEditor } from '../terminal/line-editor.ts';
import { openLiveTree } from '../terminal/live-tree.ts';
import type { Talk } from './line-by-line.ts';
import type { Partner } from './session.ts';

interface TerminalPorts {
  environment: Environment;
  env: string | undefined;
  io: RunIo;
  terminal: Screen;
  keyboard: Keyboard;
}

/**
 * A chat at a terminal: the conversation scrolls by, the tree of agents is drawn below it, and the person types a line
 * at the bottom, also while agents work. Agents' questions take the place of that line.
 * @returns the last agent of the conversation
 */
export async function chatAtTerminal(
  talk: Talk,
  { environment, env, io, terminal, keyboard }: TerminalPorts,
): Promise<Partner | undefined> {
  const live = await openLiveTree(terminal, { ...environment.records, isCarriedOut: async () => true });
  let streamed = { run: '', text: '' };
  let isUnfinished = false;

  /** Keeps what the agent that is talked to has written of its answer so far. */
  function hear(event: RunEvent): void {
    const { run } = event;
    if (run !== session.current()?.id) return;
    if (event.type === 'turn_started' || streamed.run !== run) streamed = { run, text: '' };
    if (event.type === 'message_delta' && event.kind === 'text') streamed.text += event.text;
  }

  const { session, chat } = await talk({
    answer(agent, text) {
      // It stands above from now on, and not in the line as well.
      streamed = { run: '', text: '' };
      isUnfinished = false;
      live.above(`${agent}: ${text}${text.endsWith('\n') ? '' : '\n'}`);
    },
    tell: (text) => live.above(text),
    show(event) {
      live.emit(event);
      hear(event);
      asker.emit(event);
    },
  });
  const over = new AbortController();
  const interrupt = () => {
    if (!isUnfinished) return over.abort();
    isUnfinished = false;
    void session.stop('interrupted by the user');
  };
  const editor = openLineEditor({
    keyboard,
    terminal,
    interrupt,
    draw: live.below,
    prompt: chat.prompt,
    complete: chat.completions,
    above: () => (isUnfinished ? streamed.text : ''),
  });
  const asker = createAsker({
    environment,
    live,
    env,
    user: io.user,
    keyboard,
    terminal,
    interrupt,
    interrupted: io.interrupted,
    onKeyboard: (isTaken) => (isTaken ? editor.pause() : editor.resume()),
  });

  const working = new Set<Promise<unknown>>();
  const faults: unknown[] = [];
  try {
    for (;;) {
      const line = await editor.next(AbortSignal.any([over.signal, io.interrupted]));
      if (line === undefined) break;
      live.above(`${chat.prompt()}${line}\n`);
      if (line.trim() === '/exit') break;
      isUnfinished ||= line.trim() !== '' && !line.startsWith('/');
      const said = chat
        .line(line)
        .catch((thrown: unknown) => {
          faults.push(thrown);
          over.abort();
        })
        .finally(() => {
          working.delete(said);
          isUnfinished = working.size > 0;
        });
      working.add(said);
    }
    await session.stop('interrupted by the user');
    await Promise.all(working);
    await session.rested();
  } finally {
    editor.close();
    await asker.close();
    await live.close();
  }
  if (faults.length > 0) throw faults[0];
  return session.current();
}
