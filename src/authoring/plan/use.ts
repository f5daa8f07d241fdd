import { INLINE_BYTES } from '../../places/store/documents.ts';
import { COSTS, GATE, sum, times, withoutChoice, type Cost } from '../../core/machine/costs.ts';
import { ASK } from '../../core/steps/ask.ts';
import { DELEGATE } from '../../core/steps/delegate.ts';
import { INVOKE_TOOL } from '../../core/steps/invoke.ts';
import { START } from '../../core/steps/start.ts';
import { WAIT_FOR_MAIL } from '../../core/steps/wait.ts';

/** One conversation: its last turn answers, all before it make calls. */
export interface PlannedConversation {
  turns: number;
  /** Sub-agents that are called, and forks that are started, in all turns together. */
  calls: number;
  /** How many of them end without an answer. */
  failed: number;
  /** Calls of tools that a function carries out, in all turns together. */
  toolCalls: number;
  /** How many of all these calls a person is asked to approve; absent: none. */
  approvals?: number;
  /** Whether some of its turns make calls of several kinds, which takes the longer way through the machine. */
  isMixed?: boolean;
  /** How many of the calls of sub-agents are of leaves, which run in Express executions; absent: none. */
  leafCalls?: number;
  /** Whether it is a leaf in an Express execution itself. */
  isLeaf?: boolean;
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

/** The services that conversations use, as they are billed. Retries of AWS's own faults are left out. */
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
  /** Of Standard executions. */
  transitions: number;
  /** Express executions, with their turns and calls of tools, as long as they last. */
  leafRuns: number;
  leafTurns: number;
  leafToolCalls: number;
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
export function eventsOf(conversation: PlannedConversation): number {
  return costOf(conversation).events;
}

/** The use of one conversation, without those of its sub-agents. */
export function useOf(conversation: PlannedConversation): Use {
  const { turns, calls, toolCalls, approvals = 0, rests = 0, isTop, isLeaf, hasLargeTexts } = conversation;
  const accesses = accessesOf(conversation);
  const size = hasLargeTexts ? LARGEST_DOCUMENT_KILOBYTES : DOCUMENT_KILOBYTES;
  return {
    executions: 1,
    turns,
    calls,
    toolCalls,
    questions: 0,
    approvals,
    rests,
    transitions: isLeaf ? 0 : costOf(conversation).states,
    leafRuns: isLeaf ? 1 : 0,
    leafTurns: isLeaf ? turns : 0,
    leafToolCalls: isLeaf ? toolCalls : 0,
    apiRequests: (isTop ? 1 : 0) + approvals,
    ...unitsOf(accesses, size),
    objectGets: hasLargeTexts ? accesses.documentReads : 0,
    objectPuts: hasLargeTexts ? accesses.documentWrites : 0,
  };
}

/**
 * The use of one question to a person, however long it waits: until a person answers, the machine enters, reads and
 * calls nothing. One call of the control function asks it, a request to the API answers it, and another call wakes the
 * execution.
 */
export function useOfQuestion(): Use {
  return {
    ...mapUse(() => 0),
    questions: 1,
    transitions: ASK.costs.answered.states,
    apiRequests: 1,
    ...unitsOf(ACCESSES.question),
  };
}

/** A fork that answers in one turn; the one that forked it waits for that, and is idle itself once it has answered. */
export function useOfFork(): Use {
  const parent = sum(START.costs.answered, WAIT_FOR_MAIL.costs.answered, COSTS.idling);
  return { ...useOfAgents(sum(parent, RESIDENT), ACCESSES.fork), rests: 3 };
}

/** A message to a fork that is idle, which wakes it for an answer of one turn, and the wait for that. */
export function useOfMessage(): Use {
  const writer = sum(INVOKE_TOOL.costs.answered, WAIT_FOR_MAIL.costs.answered);
  return { ...useOfAgents(sum(writer, RESIDENT), ACCESSES.message), rests: 2, toolCalls: 1 };
}

/** The use that a fork adds when it goes on in an execution of its own, besides the turns that it makes there. */
export function useOfWake(): Use {
  return { ...useOfAgents(RESIDENT, ACCESSES.message), executions: 0, turns: 0, rests: 1 };
}

/** An execution that does nothing but make one turn, after which its agent is idle. */
const RESIDENT = sum(COSTS.opening, COSTS.idling, COSTS.answering);

function useOfAgents(cost: Cost, accesses: Accesses): Use {
  return {
    ...mapUse(() => 0),
    executions: 1,
    turns: 1,
    transitions: cost.states,
    ...unitsOf(accesses),
  };
}

/** Adds a use to another, `count` times. */
export function addUse(one: Use, other: Use, count = 1): Use {
  return mapUse((key) => one[key] + count * other[key]);
}

/** The most of each service that any of the uses has. */
export function dearestOf(uses: readonly Use[]): Use {
  return uses.reduce((one, other) => mapUse((key) => Math.max(one[key], other[key])));
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
    leafRuns: of('leafRuns'),
    leafTurns: of('leafTurns'),
    leafToolCalls: of('leafToolCalls'),
    apiRequests: of('apiRequests'),
    tableReads: of('tableReads'),
    tableWrites: of('tableWrites'),
    objectGets: of('objectGets'),
    objectPuts: of('objectPuts'),
  };
}

function costOf({
  turns,
  calls,
  failed,
  toolCalls,
  approvals = 0,
  leafCalls = 0,
  isMixed = approvals > 0 || (leafCalls > 0 && leafCalls < calls),
  rests = 0,
}: PlannedConversation) {
  const wave = isMixed ? COSTS.wave : COSTS.lastWave;
  const call = (cost: Cost) => (isMixed ? cost : withoutChoice(cost));
  return sum(
    COSTS.opening,
    times(turns - 1, sum(COSTS.acting, wave)),
    times(calls - leafCalls - failed, call(DELEGATE.costs.answered)),
    times(leafCalls, call(DELEGATE.leafCosts.answered)),
    times(failed, call(DELEGATE.costs.failed)),
    times(toolCalls, call(INVOKE_TOOL.costs.answered)),
    times(approvals, GATE),
    times(rests, COSTS.idling),
    COSTS.answering,
  );
}

/** Reads and writes of the store: documents are texts, records are facts about a run. */
interface Accesses {
  documentReads: number;
  documentWrites: number;
  recordReads: number;
  recordWrites: number;
}

/**
 * About what each part of a conversation reads and writes, where every call of a function starts with nothing in
 * memory; a warm one reads less. The table is a small part of what a run costs, so orders of magnitude serve the
 * reader: a test holds them to within a factor of two of what the functions do.
 */
const ACCESSES = {
  opening: { documentReads: 2, documentWrites: 1, recordReads: 3, recordWrites: 2 },
  /** The API's request, at the top of a tree. */
  request: { documentReads: 0, documentWrites: 1, recordReads: 1, recordWrites: 3 },
  /** Besides the turns before it. In ten seconds it looks twice more for watchers. */
  turn: { documentReads: 1, documentWrites: 1, recordReads: 5, recordWrites: 0 },
  call: { documentReads: 0, documentWrites: 0, recordReads: 1, recordWrites: 0 },
  /** A sub-agent's. */
  answer: { documentReads: 1, documentWrites: 0, recordReads: 0, recordWrites: 0 },
  toolCall: { documentReads: 3, documentWrites: 1, recordReads: 3, recordWrites: 2 },
  approval: { documentReads: 6, documentWrites: 3, recordReads: 8, recordWrites: 4 },
  question: { documentReads: 5, documentWrites: 1, recordReads: 5, recordWrites: 3 },
  /** Most reads are of all turns of an agent that comes to rest, and of the runs of its tree each time one waits. */
  fork: { documentReads: 35, documentWrites: 5, recordReads: 25, recordWrites: 8 },
  message: { documentReads: 55, documentWrites: 8, recordReads: 25, recordWrites: 8 },
} satisfies Record<string, Accesses>;

function accessesOf(conversation: PlannedConversation): Accesses {
  const { turns, calls, failed, toolCalls, approvals = 0, readOfDerived = 0, isTop } = conversation;
  const turnsBefore = (turns * (turns - 1)) / 2;
  const of = (key: keyof Accesses) =>
    ACCESSES.opening[key] +
    (isTop ? ACCESSES.request[key] : 0) +
    turns * ACCESSES.turn[key] +
    calls * ACCESSES.call[key] +
    (calls - failed) * ACCESSES.answer[key] +
    toolCalls * ACCESSES.toolCall[key] +
    approvals * ACCESSES.approval[key];
  return {
    documentReads: of('documentReads') + turnsBefore + readOfDerived,
    documentWrites: of('documentWrites'),
    recordReads: of('recordReads'),
    recordWrites: of('recordWrites'),
  };
}

/** As the table bills them: reads in units of 4 KB, writes in units of 1 KB. */
function unitsOf(accesses: Accesses, documentKilobytes = DOCUMENT_KILOBYTES) {
  return {
    tableReads: accesses.recordReads + accesses.documentReads * Math.ceil(documentKilobytes / 4),
    tableWrites: accesses.recordWrites + accesses.documentWrites * documentKilobytes,
  };
}
