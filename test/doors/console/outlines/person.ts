import type { SeenPage, Spot } from '../pictures/seen-page.ts';

const ROLES = {
  button: 'button, [role=button]',
  checkbox: 'input[type=checkbox]',
  treeitem: '[role=treeitem]',
};

/** Somebody at the page, who waits after each act until nothing changes any more. */
export function personAt(settled: () => Promise<void>): SeenPage {
  return {
    getByText: (text) => spot(() => textsIn(document.body, text)),
    getByRole: (role, { name = '' } = {}) =>
      spot(() => [...document.querySelectorAll(ROLES[role])].filter((each) => nameOf(each).includes(name))),
    locator: (selector) => spot(() => [...document.querySelectorAll(selector)]),
    keyboard: {
      async press(keys) {
        const [key = '', ...modifiers] = keys.split('+').reverse();
        const target = document.activeElement ?? document.body;
        target.dispatchEvent(
          new KeyboardEvent('keydown', { key, ctrlKey: modifiers.includes('Control'), bubbles: true }),
        );
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
    return {
      first: () => only(([first]) => first),
      nth: (index) => only((all) => all[index]),
      filter: () => spot(find),
      getByText: (text) => spot(() => find().flatMap((each) => textsIn(each, text))),
      waitFor: async () => void found(),
      isVisible: async () => find().length > 0,
      async click() {
        const element = found();
        if (element instanceof HTMLElement) {
          element.focus();
          element.click();
        }
        await settled();
      },
      async fill(text) {
        enter(found(), text);
        await settled();
      },
    };
  }
}

function enter(element: Element, text: string): void {
  Reflect.set(element, 'value', text);
  element.dispatchEvent(new Event('input', { bubbles: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

/** The innermost elements with this text. */
function textsIn(element: Element, text: string): Element[] {
  const inner = [...element.children].flatMap((child) => textsIn(child, text));
  return inner.length > 0 || element.textContent?.includes(text) !== true ? inner : [element];
}

function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent ?? '';
}
