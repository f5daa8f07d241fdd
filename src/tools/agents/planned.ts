import { askUser } from '../ask-user.ts';
import { fork } from './fork.ts';
import { wait } from './wait.ts';

/** Tools that are planned without a function, for agents with others beside them. */
export const TOOLS_BESIDE = [askUser, fork, wait];
