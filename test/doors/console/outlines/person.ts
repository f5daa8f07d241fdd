import type { SeenPage, Spot } from '../pictures/seen-page.ts';

/** Somebody at the page, who also lets time pass, and looks at parts of it meanwhile. */
export interface Person extends SeenPage {
  pass(milliseconds: number): Promise<void>;
  look(selector: string): Promise<void>;
  /** Looks at an element without what it holds, and how far that is scrolled. */
  glance(selector: string): Promise<void>;
  scroll(selector: string, to: number): Promise<void>;
  /** Moves the pointer or the wheel over what is there. */
  move(selector: string, ...events: (readonly [type: string, of?: object])[]): Promise<void>;
}

const ROLES = {
  button: 'button, [role=button]',
  checkbox: 'input[type=checkbox]',
  treeitem: '[role=treeitem]',
};

export interface Held extends Pick<Person, 'pass'> {
  /** Waits until nothing changes any more, as is done after each act. */
  settled: () => Promise<void>;
  look: (selector: string) => void;
  glance: (selector: string) => void;
}

export function personAt({ settled, pass, look, glance }: Held): Person {
  return {
    pass,
    look: async (selector) => look(selector),
    glance: async (selector) => glance(selector),
    async scroll(selector, to) {
      const element = document.querySelector(selector);
      if (element !== null) element.scrollTop = to;
      await this.move(selector, ['scroll']);
    },
    async move(selector, ...events) {
      for (const [type, of] of events) {
        const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), of);
        document.querySelector(selector)?.dispatchEvent(event);
        await settled();
      }
    },
    getByText: (text) => spot(() => textsIn(document.body, text)),
    getByRole: (role, { name = '' } = {}) =>
      spot(() => [...document.querySelectorAll(ROLES[role])].filter((each) => nameOf(each).includes(name))),
    locator: (selector) => spot(() => [...document.querySelectorAll(selector)]),
    keyboard: {
      async press(key) {
        press(document.activeElement ?? document.body, key);
        await settled();
      },
      async type(text) {
        const field = document.querySelector('dialog input') ?? document.activeElement;
        if (field !== null) enter(field, text);
        await settled();
      },
    },
  };

  function spot(find: () => Element[]): Spot {
    const only = (pick: (all: Element[]) => Element | undefined) =>
      spot(() => [pick(find())].filter((each) => each !== undefined));
    const found = () => {
      const [first] = find();
      if (first === undefined) throw new Error('it is not there');
      return first;
    };
    const acting = (act: (element: Element) => void) => async () => {
      act(found());
      await settled();
    };
    return {
      first: () => only(([first]) => first),
      nth: (index) => only((all) => all[index]),
      filter: () => spot(find),
      getByText: (text) => spot(() => find().flatMap((each) => textsIn(each, text))),
      waitFor: async () => void found(),
      isVisible: async () => find().length > 0,
      click: acting((element) => {
        if (!(element instanceof HTMLElement)) return;
        element.focus();
        element.click();
      }),
      fill: async (text) => acting((element) => enter(element, text))(),
      press: async (key) => acting((element) => press(element, key))(),
    };
  }
}

function enter(element: Element, text: string): void {
  Reflect.set(element, 'value', text);
  element.dispatchEvent(new Event('input', { bubbles: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

/** @param keys one key, or as in `Control+k` */
function press(element: Element, keys: string): void {
  const [key = '', ...held] = keys.split('+').reverse();
  const init = { key, ctrlKey: held.includes('Control'), bubbles: true, cancelable: true };
  const goesOn = element.dispatchEvent(new KeyboardEvent('keydown', init));
  if (goesOn && key === 'Enter' && element instanceof HTMLInputElement) element.form?.requestSubmit();
}

/** The innermost elements with this text. */
function textsIn(element: Element, text: string): Element[] {
  const inner = [...element.children].flatMap((child) => textsIn(child, text));
  return inner.length > 0 || element.textContent?.includes(text) !== true ? inner : [element];
}

function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent ?? '';
}
