import type { Scene } from '../../pictures/draw.ts';
import { SCENES } from '../../pictures/scenes.ts';
import type { Person } from '../person.ts';

/** What a person does in a scene, and what of the page is looked at after that. */
export interface Act {
  scene: Scene;
  /** Answers besides those of the scene; those to what changes something are named with their method. */
  answers?: Scene['answers'];
  at?: string;
  width?: number;
  act: (person: Person) => Promise<void>;
  look: string;
}

export const RUN = 'review-19ce1f3a2b7c41';
export const REFUSED = { status: 422, detail: 'the server says why not' };

export function sceneOf(name: string): Scene {
  const scene = SCENES[name];
  if (scene === undefined) throw new Error(`there is no scene ${name}`);
  return scene;
}

/** Presses one button after the other. */
export const press =
  (...names: string[]) =>
  async (person: Person) => {
    for (const name of names) await person.getByRole('button', { name }).first().click();
  };

/** Fills fields in, by their selectors. */
export async function fill(person: Person, texts: Record<string, string>): Promise<void> {
  for (const [selector, text] of Object.entries(texts)) await person.locator(selector).first().fill(text);
}

export const keys =
  (...all: string[]) =>
  async (person: Person) => {
    for (const key of all) await person.keyboard.press(key);
  };

/** A dialog over a run. */
export const over = (
  scene: string,
  answers: Scene['answers'],
  act: Act['act'],
  look = '.actions, dialog',
): Act => ({
  scene: sceneOf(scene),
  answers,
  act: async (person) => {
    await sceneOf(scene).act?.(person);
    await act(person);
  },
  look,
});

export const OPEN = { status: 'running', ended_at: null, duration_ms: null } as const;
