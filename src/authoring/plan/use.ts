import { INLINE_BYTES } from '../../places/store/documents.ts';
import { COSTS, GATE, sum, times, type Cost } from '../../core/machine/costs.ts';
import { ASK } from '../../core/steps/ask.ts';
import { DELEGATE } from '../../core/steps/delegate.ts';
import { INVOKE_TOOL } from '../../core/steps/invoke.ts';
import { START } from '../../core/steps/start.ts';
import { WAIT_FOR_MAIL } from '../../core/steps/wait.ts';

/** One conversation: its last turn answers, all before it make calls. */
export interface Conversation {
  turns: number;
  /** Sub-agents that are called, and forks that are started, in all turns together. */
  calls: number;
  /** How many of them end without an answer. */
  failed: number;
  /** Calls of tools that a function carries out, in all turns together. */
  toolCalls: number;
  /** How many of all these calls a person is asked to approve; absent: none. */
  approvals?: number;
  /** How often it has answered while others may still want something of it; absent: never. */
  rests?: number;
  /** Turns and results of derived sub-agents that are read for what their caller is told of them; absent: none. */
  readOfDerived?: number;
  /** Whether it is the top of its tree, started by one request to the API, or a sub-agent. */
  isTop: boolean;
  /**
   * Whether each of its texts is counted at its dearest in each service: as large as the table takes, and an object
   * besides. No text is both, so all services together are a little more than can be.
   */
  hasLargeTexts: boolean;
}

/** What conversations use of the services, as it is billed. Retries of AWS's own faults are left out. */
export interface Use {
  executions: number;
  turns: number;
  calls: number;
  toolCalls: number;
  /** Questions to people. */
  questions: number;
  /** Calls that a person approves over the API. */
  approvals: number;
  /** Waits of agents for each other, idle or in a call, however long they are. */
  rests: number;
  transitions: number;
  apiRequests: number;
  /** Units of 4 KB. */
  tableReads: number;
  /** Units of 1 KB. */
  tableWrites: number;
  objectGets: number;
  objectPuts: number;
}

/**
 * A turn, and the beginning of a conversation, are taken to be of this size in the table; one that is larger than 64 KB
 * is an object.
 */
export const DOCUMENT_KILOBYTES = 4;
/** The largest that is no object, with its key. */
export const LARGEST_DOCUMENT_KILOBYTES = INLINE_BYTES / 1024 + 1;

/** The events in the history of the execution that carries a conversation. */
export function eventsOf(conversation: Conversation): number {
  return costOf(conversation).events;
}

/** What one conversation uses, without those of its sub-agents. */
export function useOf(conversation: Conversation): Use {
  const { turns, calls, toolCalls, approvals = 0, rests = 0, isTop, hasLargeTexts } = conversation;
  const { documentReads, documentWrites, recordReads, recordWrites } = accessesOf(conversation);
  const size = hasLargeTexts ? LARGEST_DOCUMENT_KILOBYTES : DOCUMENT_KILOBYTES;
  return {
    executions: 1,
    turns,
    calls,
    toolCalls,
    questions: 0,
    approvals,
    rests,
    transitions: costOf(conversation).states,
    apiRequests: (isTop ? 1 : 0) + approvals,
    tableReads: recordReads + documentReads * Math.ceil(size / 4),
    tableWrites: recordWrites + documentWrites * size,
    objectGets: hasLargeTexts ? documentReads : 0,
    objectPuts: hasLargeTexts ? documentWrites : 0,
  };
}

/**
 * What one question to a person uses, however long it waits: while nobody answers, nothing is entered, read or called.
 * It is asked by one call of the control function, answered by a request to the API, and the execution is woken by
 * another call. Read are: the run twice, its turn, the question, whether there is an answer three times, the tree's
 * clock twice, and who waits. Written: the question and that it is open, who waits, the answer, that it is not open any
 * more, and the clock twice.
 */
export function useOfQuestion(): Use {
  return {
    ...mapUse(() => 0),
    questions: 1,
    transitions: ASK.costs.answered.states,
    apiRequests: 1,
    tableReads: 10,
    tableWrites: 7,
  };
}

/** A fork that answers in one turn; the one that forked it waits for that, and is idle itself once it has answered. */
export function useOfFork(): Use {
  const parent = sum(START.costs.answered, WAIT_FOR_MAIL.costs.answered, COSTS.idling);
  return { ...useOfAgents(sum(parent, RESIDENT), FORK), rests: 3 };
}

/** A message to a fork that is idle, which wakes it for an answer of one turn, and the wait for that. */
export function useOfMessage(): Use {
  const writer = sum(INVOKE_TOOL.costs.answered, WAIT_FOR_MAIL.costs.answered);
  return { ...useOfAgents(sum(writer, RESIDENT), MESSAGE), rests: 2, toolCalls: 1 };
}

/** What a fork adds that goes on in an execution of its own, besides the turns that it makes there. */
export function useOfWake(): Use {
  return { ...useOfAgents(RESIDENT, MESSAGE), executions: 0, turns: 0, rests: 1 };
}

/** An execution that does nothing but make one turn, after which its agent is idle. */
const RESIDENT = sum(COSTS.opening, COSTS.idling, COSTS.answering);

function useOfAgents(cost: Cost, accesses: Accesses): Use {
  return {
    ...mapUse(() => 0),
    executions: 1,
    turns: 1,
    transitions: cost.states,
    tableReads: accesses.recordReads + accesses.documentReads * Math.ceil(DOCUMENT_KILOBYTES / 4),
    tableWrites: accesses.recordWrites + accesses.documentWrites * DOCUMENT_KILOBYTES,
  };
}

/** Adds a use to another, `count` times. */
export function addUse(one: Use, other: Use, count = 1): Use {
  return mapUse((key) => one[key] + count * other[key]);
}

export function mapUse(of: (key: keyof Use) => number): Use {
  return {
    executions: of('executions'),
    turns: of('turns'),
    calls: of('calls'),
    toolCalls: of('toolCalls'),
    questions: of('questions'),
    approvals: of('approvals'),
    rests: of('rests'),
    transitions: of('transitions'),
    apiRequests: of('apiRequests'),
    tableReads: of('tableReads'),
    tableWrites: of('tableWrites'),
    objectGets: of('objectGets'),
    objectPuts: of('objectPuts'),
  };
}

function costOf({ turns, calls, failed, toolCalls, approvals = 0, rests = 0 }: Conversation) {
  return sum(
    COSTS.opening,
    times(turns - 1, sum(COSTS.acting, COSTS.wave)),
    times(calls - failed, DELEGATE.costs.answered),
    times(failed, DELEGATE.costs.failed),
    times(toolCalls, INVOKE_TOOL.costs.answered),
    times(approvals, GATE),
    times(rests, COSTS.idling),
    COSTS.answering,
  );
}

/**
 * What an approval adds. Documents: the turn before it is asked for; the question before it is answered; the answer,
 * for all that wait for it; who waits. Records: who carries the run, for the machine and for the API; whether all calls
 * of the tool are approved, twice; the answer before it is there; the clock of the tree, and the list of what is open.
 */
const APPROVAL: Accesses = { documentReads: 6, documentWrites: 3, recordReads: 8, recordWrites: 4 };

/**
 * What agents add that write to each other, in a tree of two. Most of it are reads: of all turns of an agent that comes
 * to rest, and of the runs of its tree, each time that one of them waits, wakes another or is done.
 */
const FORK: Accesses = { documentReads: 35, documentWrites: 5, recordReads: 26, recordWrites: 8 };
const MESSAGE: Accesses = { documentReads: 56, documentWrites: 8, recordReads: 25, recordWrites: 7 };

/** Reads and writes of the store: documents are what is said, records what is known of a run. */
interface Accesses {
  documentReads: number;
  documentWrites: number;
  recordReads: number;
  recordWrites: number;
}

/**
 * What the functions read and write for one conversation, each call of a function with nothing in memory: a warm one
 * reads less. What is not there is billed as a read of a record, a write that finds something as a write and a read.
 */
function accessesOf(conversation: Conversation): Accesses {
  const { turns, calls, failed, toolCalls, approvals = 0, readOfDerived = 0, isTop } = conversation;
  const laterTurns = turns - 1;
  const turnsBeforeThem = (turns * laterTurns) / 2;
  // To open: the request, or the parent's beginning and turn.
  const origin = isTop ? 1 : 2;
  return {
    // Each turn reads the beginning and all turns before it, and the last words of sub-agents, or all
    // that derived ones said; each call of a tool the beginning and its turn, and the next turn its result.
    documentReads:
      origin +
      turns +
      turnsBeforeThem +
      (calls - failed) +
      readOfDerived +
      3 * toolCalls +
      approvals * APPROVAL.documentReads,
    documentWrites: 1 + turns + (isTop ? 1 : 0) + toolCalls + approvals * APPROVAL.documentWrites,
    // No beginning is there yet; the parent, before and after, or what the API has written of the run and read
    // before that; who carries the run, what it may spend and whether anybody watches, at each turn; the record of each
    // sub-agent; what a sub-agent may hand on; who carries the run, at each call of a tool, whose result is not there
    // yet, and which version of a file it knows.
    recordReads:
      1 +
      (isTop ? 3 : 2) +
      3 * turns +
      calls +
      (!isTop && calls > 0 ? 1 : 0) +
      3 * toolCalls +
      approvals * APPROVAL.recordReads,
    // The record and its end; at the top the API and the opening both write it, and the index of tops; what it
    // may spend, by each turn that hands a share of it on; that a call of a tool was begun, and which file it has seen.
    recordWrites:
      2 + (isTop ? 3 : 0) + (calls > 0 ? laterTurns : 0) + 2 * toolCalls + approvals * APPROVAL.recordWrites,
  };
}
