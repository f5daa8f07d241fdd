import type { WayOn } from '../way-on.ts';

/** How a way on is told. */
interface WayWords {
  /** On the page, beside the buttons that do it. */
  page: string;
  /** On a terminal, before the command that does it. */
  terminal: string;
}

/** The one list of advice to people about a run that has no whole answer. */
export const WAY_WORDS: Readonly<Record<WayOn, WayWords>> = {
  none: { page: '', terminal: 'see' },
  gone: { page: 'The agents that count on it were told. Nothing brings it back.', terminal: 'see' },
  resume: {
    page: 'Resume it: it goes on where it broke off, and nothing that was answered is paid for again.',
    terminal: 'continue it with',
  },
  resume_tree: {
    page: 'The agent that called it was told. Resume the run at the top if the whole tree broke off.',
    terminal: 'continue it with',
  },
  resume_with_key: {
    page: 'Resume it once its provider takes the key that is set.',
    terminal: 'once its provider takes the key, continue it with',
  },
  resume_with_model: {
    page: 'Resume it with another model: this one would refuse it again.',
    terminal: 'continue it with another model',
  },
  send: {
    page: 'The agent that called it was told. Write to it: it goes on with all that it knows.',
    terminal: 'continue it with',
  },
  send_for_rest: {
    page: 'Write to it to have the rest, or raise max_tokens in its file.',
    terminal: 'see',
  },
  send_with_tokens: {
    page: 'Add tokens to the budget, then write to it: it goes on with all that it knows.',
    terminal: 'continue it with more tokens',
  },
  send_with_dollars: {
    page: 'Add dollars to the budget, then write to it: it goes on with all that it knows.',
    terminal: 'continue it with more dollars',
  },
};
