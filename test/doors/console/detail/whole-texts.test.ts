import { afterEach, expect, test, vi } from 'vitest';
import {
  wholeAnswer,
  wholeBefore,
  wholeCall,
  wholeSaid,
  wholeSystem,
  wordsOf,
} from '../../../../src/doors/console/detail/whole-texts.ts';
import { anOverview, answers, asks, call, result, results, said } from '../pictures/answers.ts';

afterEach(() => vi.unstubAllGlobals());

const INHERITED = [asks('earlier'), { role: 'assistant' as const, text: 'inherited', calls: [] }];
const TURNS = {
  1: said([...INHERITED, asks('Do it'), asks('with this'), answers(1, 'first')]),
  2: said([
    asks('more'),
    asks('and more'),
    answers(2, 'second', call('a', 'read_file', { path: 'a.md' })),
    results(result('a', 'read_file', 'whole')),
  ]),
  3: said([]),
};

/** The server's answers to those who read whole turns. */
function serve(inputCharacters = 0): string[] {
  const asked: string[] = [];
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    const [, number = ''] = /^runs\/r\/messages\?from_turn=(\d)&to_turn=\1$/.exec(path) ?? [];
    const turn = Object.entries(TURNS).find(([each]) => each === number)?.[1];
    return Response.json({ ...turn, system: 'You are top.', input_characters: inputCharacters });
  });
  return asked;
}

test('a text that was cut is read whole from its turn', async () => {
  const asked = serve();
  expect([
    await wholeAnswer('r', 2),
    await wholeSaid('r', 2, 1),
    await wholeSaid('r', 2, 2),
    await wholeBefore('r', 0),
    await wholeBefore('r', 1),
    await wholeBefore('r', 9),
    await wholeSystem('r'),
  ]).toEqual(['second', 'and more', '', 'earlier', 'inherited', '', 'You are top.']);
  expect(asked.map((path) => path.slice(-1))).toEqual(['2', '2', '2', '1', '1', '1', '1']);
  expect(await wholeCall('r', 2, 0)).toMatchObject({ call: { id: 'a' }, result: { text: 'whole' } });
  await expect(wholeCall('r', 2, 1)).rejects.toThrow('the server no longer has this call');
  await expect(wholeAnswer('r', 3)).rejects.toThrow('the server no longer has this turn');
});

test('the words that a turn was made for are its task, without the input, or what was said since', async () => {
  serve(' this'.length);
  const run = anOverview('top', { run_id: 'r' });
  const fork = anOverview('top', { run_id: 'r', forked_from: { root: 'r', run_id: 'r', turn: 1 } });
  expect([await wordsOf(run, 1), await wordsOf(fork, 1), await wordsOf(run, 2)]).toEqual([
    'with',
    'Do it\n\nwith',
    'more\n\nand more',
  ]);
});
