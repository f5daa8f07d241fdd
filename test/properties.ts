import fc from 'fast-check';
import { cases } from './fixtures/cases.ts';

// How many cases fast-check itself tries, where a property says nothing else.
fc.configureGlobal({ numRuns: cases(100) });
