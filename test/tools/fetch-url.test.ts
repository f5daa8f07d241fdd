import { expect, test } from 'vitest';
import type { Fetched } from '../../src/core/tool-contracts/tool.ts';
import { openFolderWorkspace } from '../../src/places/local/workspace/folder-workspace.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { workIn } from './files/workbench.ts';

const URL = 'https://docs.example/a';
const most = `${URL}?${'x'.repeat(8_000 - URL.length - 1)}`;

test.each<[url: string, fetched: Fetched, said: string]>([
  [URL, { text: 'a page', url: URL }, 'a page'],
  [` ${URL}\n`, { text: ' \n', url: URL }, '(the page is empty)'],
  [URL, { text: 'a page', url: `${URL}/b` }, `[led to ${URL}/b]\n\na page`],
  [URL, { text: '', url: `${URL}/b` }, `[led to ${URL}/b]\n\n(the page is empty)`],
  ['HTTPS://docs.example:443/a', { text: 'a page', url: URL }, 'a page'],
  ['odd', { text: 'a page', url: URL }, 'a page'],
  [URL, { refused: 'it is closed' }, 'Error: it is closed'],
  [most, { text: 'a page', url: most }, 'a page'],
  [
    `${most}x`,
    { text: 'a page', url: most },
    'Error: argument "url" has 8001 characters, at most 8000 are allowed',
  ],
])('fetch_url of %j that leads to %j says what is there', async (url, fetched, said) => {
  const asked: unknown[] = [];
  const { say } = workIn(openFolderWorkspace(await tempFolder({})), {
    async fetchUrl(at, { allowedHosts }) {
      asked.push([at, allowedHosts]);
      return fetched;
    },
  });
  expect(await say('fetch_url', { url })).toBe(said);
  expect(asked).toEqual(url.length > 8_000 ? [] : [[url.trim(), []]]);
});
