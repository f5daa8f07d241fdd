import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { createPage } from '../../../../src/doors/api/page.ts';
import { NOW } from './answers.ts';
import type { SeenPage } from './seen-page.ts';

/** A state of a view, as a picture is made of it. */
export interface Scene {
  /** Where the page is: `#/runs`. */
  at: string;
  /** What the server answers, by path, or by path and how its query begins; anything else it does not have. */
  answers: Record<string, Reply>;
  /** A text that is there once everything is, or what to wait for. */
  until: string | ((page: SeenPage) => Promise<unknown>);
  /** What a person does before the picture is made. */
  act?: (page: SeenPage) => Promise<unknown>;
  /** What the browser has kept from before. */
  kept?: { local?: Record<string, string>; session?: Record<string, string> };
  /** Whether only what is in sight is drawn, of a page that is long. */
  isInSight?: boolean;
  /** Of a wide window, in pixels, where a part of the page scrolls by itself; absent: as the look has it. */
  height?: number;
}

/** `never`: the answer does not come; `lost`: the server is not there. */
export type Reply = object | 'never' | 'lost' | { status: number; detail: string };

/** In pixels: a phone, a tablet, a screen. */
const SIZES = [
  { width: 360, height: 740 },
  { width: 800, height: 900 },
  { width: 1440, height: 900 },
] as const;

/** From so many pixels on, a run is shown beside its tree. */
const WIDE = 1_200;

/** How the page is looked at. */
export interface Look {
  name: string;
  theme: 'light' | 'dark';
  size: { width: number; height: number };
}

export const LOOKS: readonly Look[] = SIZES.flatMap((size) =>
  (['light', 'dark'] as const).map((theme) => ({ name: `${theme}-${size.width}`, theme, size })),
);

/** Longer pages are cut: further down there is more of the same. */
const MOST_HEIGHT = 1_200;

export interface Stage {
  page: Page;
  /** Shows a scene, with nothing left to come. @returns what went wrong */
  show(scene: Scene): Promise<string[]>;
  /** @returns a PNG */
  draw(scene: Scene): Promise<Buffer>;
  close(): Promise<void>;
}

/** Nothing is there: all requests are answered here. */
const ORIGIN = 'https://cadre.example';
const EMPTY = '/nothing-yet';

/** A page whose server is made up, at a fixed time. */
export async function openStage(browser: Browser, { theme, size }: Look): Promise<Stage> {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  // A busy machine may take its time.
  page.setDefaultTimeout(60_000);
  await page.clock.setFixedTime(NOW);
  let faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  const server = await serve(context, (fault) => faults.push(fault));
  return {
    page,
    async show(scene) {
      // Nothing of the scene before is left in the page.
      server.answers = {};
      await page.goto(ORIGIN + EMPTY);
      const { local = {}, session = {} } = scene.kept ?? {};
      await page.evaluate(`for (const [storage, kept] of ${JSON.stringify([
        ['localStorage', local],
        ['sessionStorage', session],
      ])}) {
        window[storage].clear();
        for (const [key, value] of Object.entries(kept)) window[storage].setItem(key, value);
      }`);
      faults = [];
      server.answers = scene.answers;
      await page.setViewportSize({ ...size, height: heightOf(scene, size) });
      await page.goto(`${ORIGIN}/${scene.at}`);
      if (typeof scene.until === 'string')
        await page.getByText(scene.until).filter({ visible: true }).first().waitFor();
      else await scene.until(page);
      await server.settled(page);
      if (scene.act !== undefined) {
        await scene.act(page);
        await server.settled(page);
      }
      return faults;
    },
    async draw(scene) {
      const height: number = await page.evaluate('document.documentElement.scrollHeight');
      if (scene.isInSight !== true && height > heightOf(scene, size)) {
        // All of it is in sight then: parts that are not are drawn late.
        await page.setViewportSize({ ...size, height: Math.min(height, MOST_HEIGHT) });
        await server.settled(page);
      }
      return page.screenshot({ animations: 'disabled' });
    },
    close: () => context.close(),
  };
}

function heightOf({ height = 0 }: Scene, size: Look['size']): number {
  return size.width < WIDE ? size.height : Math.max(height, size.height);
}

/** The files of the page as they are built, and made-up answers of the API. */
async function serve(context: BrowserContext, onFault: (fault: string) => void) {
  const files = new Map<string, Promise<File>>();
  const fileAt = (pathname: string) => {
    const known = files.get(pathname) ?? readFile(pathname);
    files.set(pathname, known);
    return known;
  };
  const server = {
    answers: {} as Scene['answers'],
    /** Waits until nothing is asked any more, and nothing changes in the page. */
    async settled(page: Page): Promise<void> {
      let asked: number;
      do {
        asked = requests;
        await page.evaluate(UNCHANGED);
      } while (underWay > 0 || requests !== asked);
    },
  };
  let underWay = 0;
  let requests = 0;
  await context.route('**', async (route) => {
    const { pathname, search, origin } = new URL(route.request().url());
    if (origin !== ORIGIN) return onFault(`asked ${origin}`);
    const reply = replyTo(server.answers, pathname.slice(1), search);
    if (reply === 'never') return;
    requests += 1;
    underWay += 1;
    try {
      if (pathname === EMPTY)
        await route.fulfill({ body: '<title>Nothing</title>', contentType: 'text/html' });
      else if (reply !== undefined) await fulfil(route, pathname, reply);
      else if (pathname.endsWith('/events')) await route.fulfill({ status: 204 });
      else {
        const file = await fileAt(pathname);
        if (file.status === 404) onFault(`asked ${pathname}${search}`);
        await route.fulfill(file);
      }
    } finally {
      underWay -= 1;
    }
  });
  return server;
}

/** The one whose query is the most alike. */
export function replyTo(answers: Scene['answers'], path: string, query: string): Reply | undefined {
  const keys = Object.keys(answers).filter((key) => key.includes('?') && (path + query).startsWith(key));
  return answers[keys.toSorted((one, other) => other.length - one.length)[0] ?? path];
}

interface File {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** As the server has it, with all its headers. */
async function readFile(pathname: string): Promise<File> {
  const response = await createPage({}).request(pathname);
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

async function fulfil(route: Route, pathname: string, reply: Exclude<Reply, 'never'>): Promise<void> {
  if (reply === 'lost') return route.abort();
  if (pathname.endsWith('/events')) {
    // A stream that says all at once, and is not asked for again while the picture is made.
    const body = `retry: 600000\n\nid: 1\ndata: ${JSON.stringify(reply)}\n\n`;
    return route.fulfill({ body, contentType: 'text/event-stream' });
  }
  const status = typeof reply === 'object' && 'detail' in reply ? Number(Reflect.get(reply, 'status')) : 200;
  return route.fulfill({ status, json: reply });
}

/**
 * Ends once three frames in a row have shown the same, and no text in sight is still to be read as Markdown. One that a
 * part of the page covers is not read at all, so that this is not waited for for ever.
 */
const UNCHANGED = `new Promise((resolve) => {
  let before;
  let same = 0;
  let looks = 0;
  const isInSight = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const look = () => {
    const now = document.body.innerHTML;
    looks += 1;
    const isRead = looks > 40 || ![...document.querySelectorAll('.rich > [aria-busy]')].some(isInSight);
    same = now === before && isRead ? same + 1 : 0;
    before = now;
    if (same === 3) resolve(document.fonts.ready.then(() => undefined));
    else requestAnimationFrame(look);
  };
  look();
})`;
