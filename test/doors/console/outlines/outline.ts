/** Attributes that are told by what has been entered, or say nothing. */
const QUIET = new Set(['class', 'xmlns', 'value', 'checked']);

/** Elements stand on one line with all that they hold where there is room. */
const WIDTH = 150;

/**
 * A part of a page in lines: each element by its name with its classes, its attributes, and what it holds, in brackets or
 * on lines of its own. Texts are quoted, and a space alone is `_`.
 * @param without a selector of what is left out
 */
export function outlineOf(element: Element, without: string): string[] {
  const head = headOf(element);
  const inside = [...element.childNodes].filter(isShown).flatMap((child) => {
    if (!isElement(child)) return [[child.textContent === ' ' ? '_' : quoted(child.textContent ?? '')]];
    return child.matches(without) ? [] : [outlineOf(child, without)];
  });
  const [only] = inside;
  if (only === undefined) return [head];
  if (inside.length === 1) {
    const [first = '', ...rest] = only;
    return [`${head} > ${first}`, ...rest];
  }
  const line = `${head} [${inside.map(([first]) => first).join(' | ')}]`;
  if (line.length <= WIDTH && inside.every(({ length }) => length === 1)) return [line];
  return [head, ...inside.flat().map((each) => `  ${each}`)];
}

/** An element without what it holds. */
export function headOf(element: Element): string {
  const classes = element.getAttribute('class')?.trim() ?? '';
  const name = [element.localName, ...classes.split(/\s+/)].filter(Boolean).join('.');
  const attributes = element
    .getAttributeNames()
    .filter((each) => !QUIET.has(each))
    .map((each) => [each, element.getAttribute(each) ?? ''] as const);
  return [...attributes, ...enteredIn(element)].reduce(
    (head, [attribute, value]) => `${head} ${attribute}${value === '' ? '' : `=${bare(value)}`}`,
    name,
  );
}

/** What a person has entered into an element, or finds there. */
function enteredIn(element: Element): (readonly [string, string])[] {
  const focused = element === document.activeElement && element !== document.body;
  return [...(focused ? [['focused', ''] as const] : []), ...valueOf(element)];
}

function valueOf(element: Element): (readonly [string, string])[] {
  if (!element.matches('input, textarea, select')) return [];
  if (Reflect.get(element, 'checked') === true) return [['checked', '']];
  const value = String(Reflect.get(element, 'value'));
  return value === '' || value === 'on' ? [] : [['entered', value]];
}

function bare(value: string): string {
  return /^[^\s"[\]|]+$/.test(value) ? value : quoted(value);
}

/** Long texts have their ends, and how much is between them. */
function quoted(text: string): string {
  const shown =
    text.length <= 240 ? text : `${text.slice(0, 120)} … ${text.length - 160} … ${text.slice(-40)}`;
  return JSON.stringify(shown);
}

function isShown(node: Node): boolean {
  return isElement(node) || (node.nodeType === 3 && node.textContent !== '');
}

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}
