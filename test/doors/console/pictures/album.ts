import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { toPng } from './flat-png.ts';

/** `CADRE_PICTURES=accept` keeps what is drawn now as what is expected. */
const ACCEPTS = process.env['CADRE_PICTURES'] === 'accept';

/** A folder for each browser with its fonts. */
export const ACCEPTED = join(import.meta.dirname, 'accepted');
/** Where to look at a picture that has changed. */
const CHANGED = join(import.meta.dirname, '../../../../node_modules/.cache/pictures');

/** A channel may differ by so much: pictures are kept in few shades, and edges of letters are not always drawn the same. */
const MOST_DIFFERENCE = 32;
/** A shade that is no further from a more common one is kept as that. */
const MOST_FLATTENED = 26;
/** So many of a million points may differ by more. */
const MOST_POINTS = 60;

/** The pictures that were accepted for one browser with its fonts. */
export interface Album {
  /** The browser and its fonts: `chromium-143.0.1-5f3a9c`. */
  key: string;
  /** Whether there are pictures for this browser, or they are being accepted. */
  isThere: boolean;
  /**
   * Holds a picture against the accepted one, and keeps it where pictures are accepted.
   * @param png of the page now
   * @returns what is wrong, with the files that show it; undefined where all is well
   */
  compare(name: string, png: Buffer): Promise<string | undefined>;
  /** Removes accepted pictures of other names, if pictures are accepted. */
  keepOnly(names: readonly string[]): Promise<void>;
}

export async function openAlbum(browser: Browser): Promise<Album> {
  const page = await browser.newPage();
  await page.setContent('<title>Pictures</title>');
  const key = `${browser.browserType().name()}-${browser.version()}-${await fontsOf(page)}`;
  const folder = join(ACCEPTED, key);
  const kept = await readdir(folder).catch(() => []);
  if (ACCEPTS) await mkdir(folder, { recursive: true });
  return {
    key,
    isThere: ACCEPTS || kept.length > 0,
    async compare(name, png) {
      const file = join(folder, `${name}.png`);
      const accepted = await readFile(file).catch(() => undefined);
      const { points, size, difference } =
        accepted === undefined
          ? { points: 1, size: 1, difference: '' }
          : await held(page, addressOf(png), addressOf(accepted));
      if (points * 1e6 <= size * MOST_POINTS) return undefined;
      if (ACCEPTS) {
        await writeFile(file, await flattened(page, addressOf(png)));
        return undefined;
      }
      await mkdir(CHANGED, { recursive: true });
      const shown = join(CHANGED, name);
      await writeFile(`${shown}.now.png`, png);
      if (accepted === undefined) return `${name}: there is no accepted picture; it is now: ${shown}.now.png`;
      await writeFile(`${shown}.accepted.png`, accepted);
      await writeFile(`${shown}.difference.png`, bytesOf(difference));
      return `${name}: ${points} of ${size} points have changed: ${shown}.{now,accepted,difference}.png`;
    },
    async keepOnly(names) {
      if (!ACCEPTS) return;
      const known = new Set(names.map((name) => `${name}.png`));
      const left = (await readdir(folder)).filter((file) => !known.has(file));
      await Promise.all(left.map((file) => rm(join(folder, file))));
    },
  };
}

interface Held {
  /** How many have changed, of how many; all of them where the sizes differ, or nothing was accepted. */
  points: number;
  size: number;
  /** A `data:` address of the faded picture with what has changed in red; "" where nothing has. */
  difference: string;
}

/** Two pictures, held against each other by the browser, which reads and writes them better than we could. */
async function held(page: Page, now: string, accepted: string): Promise<Held> {
  return page.evaluate(`(async (now, accepted, most) => {
    ${READ}
    const [one, other] = [await read(now), await read(accepted)];
    const [a, b] = [one.data, other.data];
    const size = a.length / 4;
    if (a.length !== b.length || one.width !== other.width) return { points: size, size, difference: now };
    const differs = (at) =>
      Math.abs(a[at] - b[at]) > most || Math.abs(a[at + 1] - b[at + 1]) > most || Math.abs(a[at + 2] - b[at + 2]) > most;
    let points = 0;
    for (let at = 0; at < a.length; at += 4) if (differs(at)) points += 1;
    if (points === 0) return { points, size, difference: '' };
    for (let at = 0; at < a.length; at += 4) {
      const isChanged = differs(at);
      for (const channel of [0, 1, 2]) b[at + channel] = isChanged ? [220, 0, 0][channel] : 192 + b[at + channel] / 4;
    }
    const context = new OffscreenCanvas(other.width, other.height).getContext('2d');
    context.putImageData(other, 0, 0);
    return { points, size, difference: await toAddress(await context.canvas.convertToBlob()) };
  })(${JSON.stringify(now)}, ${JSON.stringify(accepted)}, ${MOST_DIFFERENCE})`);
}

/** The picture in at most 256 colours: those that most of it has, and few shades between them. */
async function flattened(page: Page, now: string): Promise<Buffer> {
  const { width, height, palette, points } = await page.evaluate<Record<'palette' | 'points', string> & Size>(
    `(async (now) => {
      ${READ}
      const { width, height, data } = await read(now);
      const colours = new Uint32Array(data.buffer);
      const counts = new Map();
      for (let at = 0, from = 0; at < colours.length; at += 1) {
        if (colours[at] === colours[at + 1]) continue;
        counts.set(colours[at], (counts.get(colours[at]) ?? 0) + at + 1 - from);
        from = at + 1;
      }
      const apart = (one, other) => {
        const red = Math.abs((one & 255) - (other & 255));
        const green = Math.abs(((one >> 8) & 255) - ((other >> 8) & 255));
        return Math.max(red, green, Math.abs(((one >> 16) & 255) - ((other >> 16) & 255)));
      };
      const common = [...counts].sort((one, other) => other[1] - one[1]);
      const palette = [];
      const places = new Map();
      for (const [colour, count] of common) {
        // Grounds stay as they are; edges of letters take the shade that is there.
        let place = count * 400 > colours.length ? -1 : palette.findIndex((known) => apart(known, colour) <= ${MOST_FLATTENED});
        if (place === -1 && palette.length < 256) place = palette.push(colour) - 1;
        if (place === -1) place = palette.reduce((best, known, at) => apart(known, colour) < apart(palette[best], colour) ? at : best, 0);
        places.set(colour, place);
      }
      const points = new Uint8Array(colours.length);
      for (let at = 0; at < points.length; at += 1) {
        points[at] = colours[at] === colours[at - 1] ? points[at - 1] : places.get(colours[at]);
      }
      const bytes = new Uint8Array(palette.flatMap((colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]));
      return { width, height, palette: await toAddress(new Blob([bytes])), points: await toAddress(new Blob([points])) };
    })(${JSON.stringify(now)})`,
  );
  return toPng({ width, height, palette: bytesOf(palette), points: bytesOf(points) });
}

interface Size {
  width: number;
  height: number;
}

const READ = `
  const read = async (address) => {
    const bitmap = await createImageBitmap(await (await fetch(address)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const toAddress = (blob) =>
    new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.readAsDataURL(blob);
    });`;

/** A word for the fonts of this machine: pictures of another with the same browser would differ from all of them. */
async function fontsOf(page: Page): Promise<string> {
  const drawn: string = await page.evaluate(`(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [600, 80];
    const context = canvas.getContext('2d');
    context.font = '20px system-ui, sans-serif';
    context.fillText('Handgloves 0123456789 ✓✗▸● Äß', 4, 30);
    context.font = '20px ui-monospace, Menlo, Consolas, monospace';
    context.fillText('Handgloves 0123456789 {}()', 4, 65);
    return canvas.toDataURL();
  })()`);
  return createHash('sha256').update(drawn).digest('hex').slice(0, 6);
}

function addressOf(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}

function bytesOf(address: string): Buffer {
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}
