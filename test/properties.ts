import fc from 'fast-check';
import { cases } from './fixtures/cases.ts';
import { isNight } from './fixtures/nightly.ts';

// How many cases fast-check itself tries, where a property says nothing else. At night they are new ones; elsewhere they
// are always the same, so that a change is judged by what it changed and never by the luck of a draw.
fc.configureGlobal({ numRuns: cases(100), ...(!isNight && { seed: 1 }) });
