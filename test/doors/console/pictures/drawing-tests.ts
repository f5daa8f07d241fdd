import { afterAll, expect } from 'vitest';
import { CHROMIUM, launchChromium } from '../../../fixtures/chromium.ts';
import { testUnlessLacking } from '../../../fixtures/lacking.ts';
import { browserTest } from '../browser.ts';
import { openAlbum } from './album.ts';
import { drawAll, type Seen } from './draw-all.ts';

/** Tests that draw states of the page. @param isWanted whether a scene is drawn in a look, by their numbers */
export async function drawingTests(isWanted: (scene: number, look: number) => boolean): Promise<void> {
  const browser = CHROMIUM === undefined ? undefined : await launchChromium();
  const album = browser && (await openAlbum(browser));
  afterAll(() => browser?.close());
  let drawn: Promise<Seen> | undefined;
  const seen = async (): Promise<Seen> => {
    if (browser === undefined || album === undefined) throw new Error('there is no browser');
    drawn ??= drawAll(browser, album, isWanted);
    return drawn;
  };
  browserTest('no state of a view has an error of its own, or a finding of axe-core', async () => {
    expect((await seen()).faults).toEqual([]);
  });
  const lacking = album?.isThere === true ? undefined : `accept pictures for ${album?.key ?? 'a browser'}`;
  testUnlessLacking(lacking, 'every state of a view looks as it was accepted', async () => {
    expect((await seen()).changed).toEqual([]);
  });
}
