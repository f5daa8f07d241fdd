/** Where a person goes on who asked for it: a `ref` of an element that takes the focus when it is first shown. */
export function focusOnce(element: HTMLElement | null): void {
  if (element === null || element.dataset['focused'] !== undefined) return;
  element.dataset['focused'] = '';
  element.focus();
}
