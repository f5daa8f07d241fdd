import { Window } from 'happy-dom';
import { h, options, render } from 'preact';
import { vi } from 'vitest';
import { App } from '../../../../src/doors/console/app.tsx';
import { tellConnected } from '../../../../src/doors/console/client/api.ts';
import { lookForQuestions } from '../../../../src/doors/console/steering/open-questions.ts';
import { NOW } from '../pictures/answers.ts';
import { replyTo, type Reply, type Scene } from '../pictures/draw.ts';
import { headOf, outlineOf } from './outline.ts';
import { personAt, type Person } from './person.ts';

/** What was seen of a page. */
export interface Seen {
  /** What a person's acts asked of the server, and the parts that were looked at, in lines. */
  lines: string[];
  /** What it asked for that its server does not have, and its own errors. */
  faults: string[];
}

const window = new Window({ url: 'https://cadre.example/', width: 1_440, height: 900 });
// Its timers are those of the test.
Reflect.set(window, 'setTimeout', (work: () => void, milliseconds?: number) =>
  setTimeout(work, milliseconds),
);
/** What Node.js has, too, but not for documents. */
const REPLACED = ['Event', 'CustomEvent', 'FormData', 'navigator', 'localStorage', 'sessionStorage'];
const GLOBALS = Object.getOwnPropertyNames(window).filter(
  (name) => !(name in globalThis) || REPLACED.includes(name),
);

/** The slowest clock of the page ticks as often, in milliseconds. */
const CLOCKS_MS = 60_000;

let drawn = 0;
const { diffed } = options;
options.diffed = (node) => {
  drawn += 1;
  diffed?.(node);
};

/** What of a page is looked at, by selectors. */
export interface Part {
  only: string;
  without: string;
  /** How wide each element is inside, in pixels. */
  width?: number;
}

/**
 * Shows a scene without a browser, at a fixed time, with nothing left to come.
 * @param act what a person does in it; by default, what they do for its picture
 */
export async function lookAt(
  { at, answers, kept = {}, act: usual }: Scene,
  part: Part,
  act: ((person: Person) => Promise<unknown>) | undefined = usual,
): Promise<Seen> {
  const faults: string[] = [];
  const lines: string[] = [];
  let isActing = false;
  let isOver = false;
  vi.useFakeTimers({
    now: NOW,
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  for (const name of GLOBALS) vi.stubGlobal(name, Reflect.get(window, name));
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) {
    vi.stubGlobal(name, window[name].bind(window));
  }
  const drawSoon = (draw: () => void) => setTimeout(draw, 1);
  vi.stubGlobal('requestAnimationFrame', drawSoon);
  options.requestAnimationFrame = drawSoon;
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'] as const) {
    const format = Date.prototype[name];
    vi.spyOn(Date.prototype, name).mockImplementation(function (this: Date, _locale, settings) {
      return format.call(this, 'en-GB', { timeZone: 'UTC', ...settings });
    });
  }
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => clearTimeout(frame));
  vi.stubGlobal('ResizeObserver', AlwaysSeen);
  vi.stubGlobal('IntersectionObserver', AlwaysSeen);
  // Nothing is laid out.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(part.width ?? 1_000);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(800);
  let underWay = 0;
  vi.stubGlobal('fetch', async (asked: string | URL, init: RequestInit = {}) => {
    if (isOver) return Response.json({ questions: [] });
    const url = new URL(asked, location.href);
    const path = url.pathname.slice(1);
    const request = `${init.method ?? 'GET'} ${path}${url.search}`;
    // Questions are looked for now and then, from scene to scene.
    if (isActing && request !== 'GET questions')
      lines.push(`${request} ${typeof init.body === 'string' ? init.body : ''}`.trim());
    const reply =
      init.method === undefined
        ? replyTo({ 'console-config.json': {}, ...answers }, path, url.search)
        : answers[request];
    if (reply === undefined && !path.endsWith('/events') && init.method !== 'POST') faults.push(request);
    if (reply === 'never') return new Promise<Response>(() => {});
    underWay += 1;
    try {
      return answerOf(reply, path);
    } finally {
      underWay -= 1;
    }
  });
  let passed = 0;
  /** Waits until nothing is drawn any more, for which no time passes. */
  const settled = async () => {
    for (let before = -1, same = 0; same < 5; same = drawn === before && underWay === 0 ? same + 1 : 0) {
      before = drawn;
      await vi.advanceTimersByTimeAsync(1);
      vi.setSystemTime(NOW + passed);
    }
  };

  for (const [storage, entries] of [
    [localStorage, kept.local ?? {}],
    [sessionStorage, kept.session ?? {}],
  ] as const) {
    storage.clear();
    for (const [key, value] of Object.entries(entries)) storage.setItem(key, value);
  }
  history.replaceState(null, '', `/${at}`);
  document.body.innerHTML = '<div id="page"></div>';
  const page = document.getElementById('page');
  if (page === null) throw new Error('there is no page');
  render(h(App, { fault: undefined }), page);
  await settled();
  const look = ({ only, without }: Part) => {
    for (const element of document.querySelectorAll(only)) lines.push(...outlineOf(element, without));
  };
  isActing = true;
  const before = location.hash;
  await act?.(
    personAt({
      settled,
      pass: async (milliseconds) => {
        passed += milliseconds;
        await vi.advanceTimersByTimeAsync(milliseconds);
        await settled();
      },
      look: (only) => look({ only, without: part.without }),
      glance(only) {
        for (const element of document.querySelectorAll(only)) {
          lines.push(headOf(element));
          if (element.scrollTop > 0) lines.push(`  scrolled to ${element.scrollTop}`);
        }
      },
    }),
  );
  isActing = false;
  if (location.hash !== before) lines.push(`at ${location.hash}`);
  look(part);
  isOver = true;
  render(null, page);
  // The next scene finds no questions of this one.
  await lookForQuestions();
  // Nor does any clock of it go on.
  await vi.advanceTimersByTimeAsync(CLOCKS_MS);
  tellConnected(true);
  delete options.requestAnimationFrame;
  return { lines: renumbered(lines), faults };
}

/** Ids that are given as they are needed count from 1 here, whatever was shown before. */
function renumbered(lines: readonly string[]): string[] {
  const ids = new Map<string, string>();
  const numberOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `P${ids.size + 1}`);
    return ids.get(id) ?? id;
  };
  return lines.map((line) => line.replace(/\bP\d+-\d+\b/g, numberOf));
}

function answerOf(reply: Exclude<Reply, 'never'> | undefined, path: string): Response {
  if (reply === 'lost') throw new TypeError('fetch failed');
  if (path.endsWith('/events')) {
    if (reply === undefined) return new Response(null, { status: 204 });
    const events = [reply].flat().map((each, id) => `id: ${id + 1}\ndata: ${JSON.stringify(each)}\n\n`);
    return new Response(`retry: 600000\n\n${events.join('')}`);
  }
  if (reply === undefined) return Response.json({ detail: 'there is nothing here' }, { status: 404 });
  const status = 'detail' in reply ? Number(Reflect.get(reply, 'status')) : 200;
  return Response.json(reply, { status });
}

/** Everything is in sight at once. */
class AlwaysSeen {
  readonly #tell: (entries: { isIntersecting: boolean }[]) => void;
  constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
    this.#tell = tell;
  }
  observe() {
    this.#tell([{ isIntersecting: true }]);
  }
  unobserve() {}
  disconnect() {}
}
