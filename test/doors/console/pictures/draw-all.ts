import type { Browser } from 'playwright-core';
import { findings } from '../axe.ts';
import type { Album } from './album.ts';
import { LOOKS, openStage, type Look } from './draw.ts';
import { SCENES } from './scenes.ts';

/** What was seen, with a line for each fault that begins with the name of its picture. */
export interface Seen {
  /** Pictures that are not as they were accepted. */
  changed: string[];
  /** Errors of the page, what it asked for that its server does not have, and findings of axe-core. */
  faults: string[];
}

export function pictureName(scene: string, { name }: Look): string {
  return `${scene}-${name}`;
}

/** All pictures that there are to be. */
export const PICTURES = Object.keys(SCENES).flatMap((scene) => LOOKS.map((look) => pictureName(scene, look)));

/**
 * Draws scenes, all looks at once.
 * @param isWanted whether a scene is drawn in a look, by their numbers
 */
export async function drawAll(
  browser: Browser,
  album: Album,
  isWanted: (scene: number, look: number) => boolean,
): Promise<Seen> {
  const seen: Seen = { changed: [], faults: [] };
  const drawIn = async (look: Look, number: number) => {
    const stage = await openStage(browser, look);
    for (const [index, [name, scene]] of Object.entries(SCENES).entries()) {
      if (!isWanted(index, number)) continue;
      const picture = pictureName(name, look);
      const faults = await stage.show(scene).catch((thrown: unknown) => [String(thrown)]);
      const change = album.isThere ? await album.compare(picture, await stage.draw(scene)) : undefined;
      if (change !== undefined) seen.changed.push(change);
      const found = await findings(stage.page);
      seen.faults.push(...[...faults, ...found].map((fault) => `${picture}: ${fault}`));
    }
    await stage.close();
  };
  await Promise.all(LOOKS.map(drawIn));
  await album.keepOnly(PICTURES);
  return seen;
}
