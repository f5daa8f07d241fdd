import { tellQuestion } from '../commands/questions.ts';
import type { RunIo } from '../terminal/io.ts';
import type { ChatScreen, Partner, Session } from './session.ts';
import type { Chat } from './chat.ts';

/** Makes a session that shows itself on a screen. */
export type Talk = (screen: ChatScreen) => Promise<{ session: Session; chat: Chat }>;

/**
 * A chat without a terminal: answers on stdout, everything else on stderr.
 * @returns the agent that was talked to last
 */
export async function chatLineByLine(
  talk: Talk,
  { env, io }: { env: string | undefined; io: RunIo },
): Promise<Partner | undefined> {
  const { session, chat } = await talk({
    answer: (_, text) => io.stdout(text.endsWith('\n') ? text : `${text}\n`),
    tell: (text) => io.stderr(text),
    show: (event) => tellQuestion(event, io.stderr, env),
  });
  const stop = () => void session.stop('interrupted by the user');
  io.interrupted.addEventListener('abort', stop, { once: true });
  for await (const line of io.lines()) {
    if (io.interrupted.aborted || !(await chat.line(line))) break;
  }
  await session.rested();
  return session.current();
}
