/** What scenes do with a page: as much of Playwright's as a page without a browser can do, too. */
export interface SeenPage {
  getByText(text: string, options?: { exact?: boolean }): Spot;
  getByRole(role: 'button' | 'checkbox' | 'treeitem', options?: { name?: string }): Spot;
  locator(selector: string): Spot;
  keyboard: { press(keys: string): Promise<void>; type(text: string): Promise<void> };
}

/** Places of a page that were looked for. */
export interface Spot {
  first(): Spot;
  nth(index: number): Spot;
  filter(options: { visible: boolean }): Spot;
  getByText(text: string): Spot;
  waitFor(options?: { state: 'attached' }): Promise<void>;
  isVisible(): Promise<boolean>;
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
}
