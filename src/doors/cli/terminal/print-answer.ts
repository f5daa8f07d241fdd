import type { Io } from './io.ts';

/** Without any of these, Markdown says no more than its letters do. */
const MARKS = /[*_`#|~<>[\]&\\]|^ *(?:[-+]|\d+[.)]) /m;

/** Prints an answer: on a terminal its Markdown in letters and colours, elsewhere nothing but what the agent wrote. */
export async function printAnswer(
  text: string,
  io: Pick<Io, 'answer' | 'columns' | 'styled'>,
): Promise<void> {
  const { columns, styled } = io;
  if (columns === undefined || styled === undefined || !MARKS.test(text)) return io.answer(text);
  const { openRendered } = await import('./markdown/rendered-answer.ts');
  const shown = openRendered('', () => columns - 1);
  styled(shown.add(text) + shown.end());
}
