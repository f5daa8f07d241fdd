import type { Act } from './acts/act.ts';
import { PLACES } from './acts/places.ts';
import { QUESTIONS } from './acts/questions.ts';
import { READING } from './acts/reading.ts';
import { STEERING } from './acts/steering.ts';

/** What people do on the page, by the names of what was accepted. */
export const ACTS: Readonly<Record<string, Act>> = { ...STEERING, ...QUESTIONS, ...READING, ...PLACES };
