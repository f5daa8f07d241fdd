import { isOutOfReach } from './ended-caller.ts';
import { findAgent } from '../records/arrivals.ts';
import { callName, type CallKey } from '../records/call.ts';
import { MAX_MAILS } from '../records/mail.ts';
import type { RunStore } from '../records/ports.ts';
import { OPEN, UNDER_WAY, isIn, phaseOf } from '../records/phase.ts';
import { branchOf, isBeside, nameOf, type Run } from '../records/run.ts';
import { usageOf } from '../records/turn.ts';
import { RefusedCall } from '../tool-contracts/arguments.ts';
import type { OtherAgents } from '../tool-contracts/tool.ts';
import { deliver } from './deliver.ts';
import { killAgent } from './kill-agent.ts';
import { noReaderOf } from './no-reader.ts';
import type { ResidentPorts } from './ports.ts';
import { treePhases } from './tree-phases.ts';

/** The other agents of a tree, as a call of one of them reaches them. Repeating a call changes nothing. */
export function otherAgents(caller: Run, call: CallKey, ports: ResidentPorts): OtherAgents {
  const { store, now } = ports;
  const name = `${caller.id}#${callName(call)}`;

  async function find(wanted: string): Promise<{ agent: Run; tree: readonly Run[] }> {
    const tree = await store.tree(caller.root);
    const agent = findAgent(tree, wanted);
    if (agent === undefined) throw new RefusedCall(`Agent not found: ${wanted}`);
    return { agent, tree };
  }

  return {
    async started() {
      const tree = await store.tree(caller.root);
      const phases = await treePhases(caller.root, tree, now(), store);
      const started = tree.filter((run) => isBeside(run) && run.parent?.run === caller.id);
      return Promise.all(
        started.map(async (run) => {
          const { id, agent, task } = run;
          const { inputTokens, outputTokens } = usageOf(await store.turns(id));
          const phase = phases.get(id) ?? phaseOf(run);
          return { id, name: nameOf(run), agent, phase, task, tokens: inputTokens + outputTokens };
        }),
      );
    },

    // Ends of agents are told as they are.
    mails: async () =>
      (await store.mails(caller.id)).filter(({ from, kind }) => from !== undefined && kind !== 'end'),
    readMail: (id) => store.markRead(caller.id, id),
    deleteMail: (id) => store.deleteMail(caller.id, id),

    async sendMail(to, body) {
      const { agent, tree } = await find(to);
      const refusal = await refusalToDeliver(agent, store);
      if (refusal !== undefined) {
        // A repeated call finds its own message, in any later state of the recipient.
        const sent = await store.sentMail(agent.id, name);
        if (sent === undefined) throw new RefusedCall(refusal);
        return sent;
      }
      // This call was given up, and its tree rests: if it dies after the message, a sweep wakes the reader.
      if (tree.every((run) => !isIn(UNDER_WAY, run))) await store.listAsOpen(agent);
      const sentAt = new Date(now()).toISOString();
      const written = { from: caller.id, fromName: nameOf(caller), body, sentAt };
      return deliver(agent, written, name, ports);
    },

    async kill(wanted) {
      const { agent } = await find(wanted);
      if (agent.parent === undefined) throw new RefusedCall('CANNOT_KILL_ROOT');
      if (branchOf(agent, [caller]).length > 0) throw new RefusedCall('CANNOT_KILL_PARENT');
      const message = `killed by "${nameOf(caller)}" (${name})`;
      // A repeated call finds an agent that it has killed itself.
      if (!isIn(OPEN, agent) && agent.failure?.message !== message)
        throw new RefusedCall('Agent is already dead');
      return killAgent(agent, message, caller.id, ports);
    },
  };
}

async function refusalToDeliver(agent: Run, store: RunStore): Promise<string | undefined> {
  if (await isOutOfReach(agent, store)) return 'Recipient agent is dead';
  const noReader = await noReaderOf(agent, store);
  if (noReader !== undefined) return `Recipient agent ${noReader}`;
  // A person's line to a fork is no agent's message.
  const mails = (await store.mails(agent.id)).filter(({ kind }) => kind !== 'capture');
  return mails.length >= MAX_MAILS
    ? `Inbox of the recipient is full: it holds ${MAX_MAILS} messages`
    : undefined;
}
