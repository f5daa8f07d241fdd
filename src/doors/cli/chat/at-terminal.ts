import type { Environment } from '../../../places/environment.ts';
import wrapAnsi from 'wrap-ansi';
import { nameOf } from '../../../core/records/run.ts';
import { lastAnswer } from '../../../core/records/turn.ts';
import { createAsker } from '../commands/ask-here.ts';
import type { Keyboard, RunIo, Screen } from '../terminal/io.ts';
import { openLineEditor } from '../terminal/line-editor.ts';
import { printable } from '../terminal/printable.ts';
import { openLiveTree } from '../terminal/live-tree.ts';
import { openStreamedAnswers } from '../terminal/streamed-answers.ts';
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
 * A chat at a terminal: the conversation scrolls, the tree of agents is drawn below it, and the person types a line at
 * the bottom, even while agents work. Agents' questions replace that line.
 * @returns the last agent of the conversation
 */
export async function chatAtTerminal(
  talk: Talk,
  { environment, env, io, terminal, keyboard }: TerminalPorts,
): Promise<Partner | undefined> {
  const live = await openLiveTree(terminal, { ...environment.records, isCarriedOut: async () => true });
  const width = () => Math.max(1, terminal.columns - 1);
  const answers = openStreamedAnswers(live, terminal);
  const tell = (text: string) => live.above(wrapAnsi(printable(text), width(), { hard: true, trim: false }));
  let isUnfinished = false;

  const { session, chat } = await talk({
    answer(agent, text, turn) {
      isUnfinished = false;
      answers.answer(agent, text, turn);
    },
    tell,
    width,
    show(event) {
      const partner = session.current();
      const isText = answers.hear(event, partner?.id === event.run ? nameOf(partner) : undefined);
      // Its words are read above, and need not be in the tree, too.
      if (!isText) live.emit(event);
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
    editor: io,
    onKeyboard: (isTaken) => (isTaken ? editor.pause() : editor.resume()),
  });

  tell('say something; /help lists what else you can type, and Ctrl-D leaves\n');
  const from = session.current();
  if (from !== undefined) await recall(from);

  /** Shows where the conversation was left. */
  async function recall(partner: Partner): Promise<void> {
    const { records } = environment;
    const [run, turns] = await Promise.all([records.run(partner.id), records.turns(partner.id)]);
    const last = run === undefined ? undefined : lastAnswer(run, turns);
    if (last === undefined) return;
    answers.answer(nameOf(partner), last.answer.text, { run: partner.id, turn: last.number });
  }

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
    await chat.begun();
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
