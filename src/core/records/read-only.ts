import type { RunReads, RunStore } from './ports.ts';

/** A store for code that could write but must not here: a write is an error of the caller. */
export function readOnly(reads: RunReads): RunStore {
  return { ...REFUSED, ...reads, dayShards: refuse };
}

async function refuse(): Promise<never> {
  throw new TypeError('those who look at runs write nothing');
}

const REFUSED: Omit<RunStore, keyof RunReads> = {
  batches: refuse,
  bind: refuse,
  changeClock: refuse,
  changeLedger: refuse,
  claimName: refuse,
  closeQuestions: refuse,
  coolDown: refuse,
  deleteMail: refuse,
  deleteMailWait: refuse,
  deleteTrees: refuse,
  endCapture: refuse,
  insertRun: refuse,
  listAsOpen: refuse,
  markCall: refuse,
  markRead: refuse,
  markPassedOver: refuse,
  noteSeen: refuse,
  restOf: refuse,
  saveAnswer: refuse,
  saveAnswerWait: refuse,
  saveAttachment: refuse,
  saveCallResult: refuse,
  saveDecision: refuse,
  saveDraft: refuse,
  saveListing: refuse,
  saveMail: refuse,
  saveMailWait: refuse,
  saveOpened: refuse,
  saveQuestion: refuse,
  saveRequest: refuse,
  saveStandingApproval: refuse,
  saveSummary: refuse,
  saveTurn: refuse,
  seenVersion: refuse,
  setPause: refuse,
  takeMail: refuse,
  updateRun: refuse,
  watch: refuse,
  watchedUntil: refuse,
  withholdResult: refuse,
  withholdTurn: refuse,
};
