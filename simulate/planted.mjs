import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Faults that the project has had, or that a rule in its code prevents. Each is a text of one file and what stands there
 * instead: `npm run simulate -- --plant <name>` plays with it, and has to find it: within a few plays if `isSoon`. One that
 * names a campaign is for that campaign of chaos to find, which is carried out then.
 *
 * @type {Readonly<Record<string, { file: string; says: string; isSoon?: true; from: string; to: string; campaign?: string }>>}
 */
export const PLANTED = {
  'turn-made-again': {
    file: 'src/core/turn/turn.ts',
    says: 'a function that is called again for a turn that is stored makes another one',
    from: 'const isRepeated = newest !== undefined && newest.number >= wanted;',
    to: 'const isRepeated = [].length > 0;',
  },
  'end-held-back': {
    file: 'src/core/lifecycle/held-ends.ts',
    says: 'the end of an agent that others below were at work for is told to nobody if these end without a word to it',
    from: 'await store.saveMailWait({ run: run.id, isEnd: true, token: `${run.holder}#${turns.length}` });',
    to: 'void [run, turns, store];',
  },
  'no-fence': {
    file: 'src/core/turn/hold.ts',
    says: 'an execution goes on although its run was ended',
    from: 'if (isHeldBy(run, claim)) return isIn(OPEN, run) ? run : undefined;',
    to: 'if (isHeldBy(run, claim)) return run;',
  },
  'call-made-again': {
    file: 'src/core/turn/call.ts',
    says: 'a call that was begun and left no result is made again, whatever its tool says',
    from: "if (!isRepeatable) return 'lost';",
    to: '',
  },
  'day-forgotten': {
    file: 'src/core/records/day-shard.ts',
    says: 'what a tree has spent of a limit per day is forgotten as soon as it ends',
    isSoon: true,
    from: 'settled: shard.settled + spent',
    to: 'settled: shard.settled',
  },
  'calls-behind-a-text': {
    file: 'src/core/turn/turn.ts',
    says: 'a function that is called again behind hooks about a text takes the calls beside it for made',
    from: 'input.outcomes.some(({ call }) => call === 0) ? input.turn - 1 : input.turn;',
    to: 'input.turn;',
  },
  'unknown-is-cheap': {
    file: 'src/core/spending/charge.ts',
    says: 'an answer whose provider counts nothing costs what its texts come to, and not what was reserved',
    from: 'usage.isEstimate ? before.reserved[owner]?.amounts : undefined;',
    to: 'undefined;',
  },
  'task-goes-on': {
    file: 'src/core/turn/close.ts',
    says: 'an agent of others goes on with the task of a run that was stopped',
    from: '...(isToGiveUp && { isToGiveUp }),',
    to: '',
  },
  'task-not-swept': {
    file: 'src/core/lifecycle/sweep.ts',
    says: 'so it does where the function that was to tell it died, or no event told of the end',
    from: 'for (const run of tree) await giveUpTask(run, ports.giveUp);',
    to: '',
  },
  'task-handed-over-again': {
    file: 'src/providers/planned/remote.ts',
    says: 'an agent of others is handed its task again where its answer was lost',
    from: 'return [wait, askedLast(messages)];',
    to: "return [wait, ask({ ask: 'send', message: randomUUID(), text: taskOf(messages) })];",
  },
  'denied-begun': {
    file: 'src/core/steps/hooked.ts',
    says: 'a sub-agent is started although a hook has denied the call',
    from: 'if (before.denied !== undefined || after.denied !== undefined) return undefined;',
    to: '',
  },
  'behind-the-unapproved': {
    file: 'src/core/steps/passes.ts',
    says: 'the steps behind a call that nobody approved in time are taken again and again',
    from: 'const isOpen = isAsked && hasFailed && isHooked(plan);',
    to: 'const isOpen = [].length > 0;',
  },
  'words-left-behind': {
    file: 'src/places/store/delete-trees.ts',
    says: 'the words of a tree outlive its removal',
    from: 'const keys = [...(await keysOf(WORDS, `${key}#`, table)), watchKey(id)];',
    to: 'const keys = [watchKey(id)];',
  },
  'mail-doubled': {
    file: 'src/core/lifecycle/put-mail.ts',
    says: 'a message whose writer died is written a second time',
    from: 'return store.saveMail(to.id, mail, key);',
    to: 'return store.saveMail(to.id, mail);',
  },
  'end-doubled': {
    file: 'src/core/turn/turn.ts',
    says: 'the end of an agent that a call of wait returns is told once more',
    from: 'return mayTake ?',
    to: 'return mayTake && [].length > 0 ?',
  },
  'end-untold': {
    file: 'src/core/lifecycle/settle.ts',
    says: 'an agent in the background fails without a word to its caller',
    from: 'if (isIn(OPEN, held)) await report(held, turns, end, ports);',
    to: '',
  },
  'results-out-of-order': {
    file: 'src/core/steps/results.ts',
    says: 'results come in another order than their calls',
    from: 'answer.calls.map(async (call, index) => {',
    to: 'answer.calls.toReversed().map(async (call, index) => {',
  },
  'nothing-reserved': {
    file: 'src/core/records/ledger.ts',
    says: 'agents at work at the same time do not see what the others are about to spend',
    from: 'return { ...ledger, reserved: { ...ledger.reserved, [owner]: reservation } };',
    to: 'return ledger;',
  },
  'blind-sweep': {
    file: 'src/core/lifecycle/sweep.ts',
    says: 'what ended without an event is not looked for',
    from: 'await closeEnded(tree, await suspicious(tree, ports), ports);',
    to: '',
  },
  'late-turn-uncounted': {
    file: 'src/core/turn/turn.ts',
    says: 'a turn that is under way when its run is stopped is missing in its record',
    isSoon: true,
    from: 'await Promise.all([acting, countLate(turns, run, store)]);',
    to: 'await Promise.all([acting]);',
  },
  'mail-to-nobody': {
    file: 'src/core/lifecycle/no-reader.ts',
    says: 'a message is accepted for a conversation that no model carries on',
    from: 'if (!isComputed(run.model)) return undefined;',
    to: 'if (run !== undefined) return undefined;',
  },
  'mail-not-noted': {
    file: 'src/core/lifecycle/put-mail.ts',
    says: 'the record of an agent does not say that it has been written to',
    isSoon: true,
    from: 'await store.updateRun(to.id, (run) => (run.hasMail ? run : { ...run, hasMail: true }), to);',
    to: 'to;',
  },
  'memory-of-all': {
    file: 'src/core/lifecycle/file-settings.ts',
    says: "what one person's run remembers is shown to another person's",
    from: "memoryOwner: (memory.owner ?? usual) === 'person' ? key : undefined,",
    to: 'memoryOwner: undefined,',
  },
  'one-owner': {
    file: 'src/core/turn/turn.ts',
    says: 'two functions that make the same turn take each other for themselves, and pay once',
    from: 'owner: randomUUID()',
    to: "owner: 'turn'",
  },
  'call-made-by-two': {
    file: 'src/core/turn/call.ts',
    says: 'two functions carry out the same call, since none looks whether another has begun it',
    isSoon: true,
    from: 'while (mark.by !== own.by) {',
    to: 'while (false) {',
  },
  'own-turn': {
    file: 'src/core/turn/turn.ts',
    says: 'a function goes on with its own turn where another one has stored that turn first',
    from: 'await store.saveTurn(run.id, (looking ?? asked).turn);',
    to: '(await store.saveTurn(run.id, (looking ?? asked).turn), asked.turn);',
  },
  'anothers-result': {
    file: 'src/core/steps/delegate.ts',
    says: 'a call is told the answer of the first sub-agent of its turn',
    from: 'const { id } = childOf(caller, turn, ended.call, agent);',
    to: 'const { id } = childOf(caller, turn, 1, agent);',
  },
  undelivered: {
    file: 'src/core/lifecycle/sweep.ts',
    says: 'an agent at rest is never told of a message whose execution was stopped',
    from: 'await wakeDue(tree, tree, ports);',
    to: '',
  },
  'child-of-the-stopped': {
    file: 'src/core/lifecycle/open.ts',
    says: 'a sub-agent is opened whose caller was stopped before that, and its model is paid',
    from: 'await assertWanted(held ?? base, input.parentHolder, ports);',
    to: '',
  },
  'batch-made-again': {
    file: 'src/core/batches/create-part.ts',
    says: 'a batch is created again at once where nobody knows what became of the first attempt',
    from: 'if (now() < listed) return Math.min(listed, now() + LOOK_AGAIN_MS);',
    to: '',
  },
  'idle-unpaid': {
    file: 'src/core/batches/settle-part.ts',
    says: 'what a batch answers too late is not counted for an agent that has come to rest since',
    from: 'return isIn(UNDER_WAY, current) ? after : {',
    to: "return current.status === 'running' || current.status === 'idle' ? after : {",
  },
  'batch-of-the-dead': {
    file: 'src/core/batches/settle-part.ts',
    says: 'what a batch answers for a run that has ended is paid for by nobody',
    from: "if (known !== undefined && 'answered' in known.result) {",
    to: 'if ([].length > 0) {',
  },
  'sweep-of-tops': {
    campaign: 'delivery',
    file: 'src/core/lifecycle/sweep.ts',
    says: 'what ended without an event is looked for at the tops of trees alone',
    from: '(isOverdue(run, time) || deadAbove(run, tree) !== undefined || isDue(run)),',
    to: 'run.parent === undefined && isOverdue(run, time),',
  },
  'uncharged-when-throttled': {
    campaign: 'control-plane',
    file: 'src/places/store/ledgers.ts',
    says: 'a ledger that cannot be written is taken as written',
    from: 'const item = await write(run, changed.ledger, before);',
    to: 'const item = await write(run, changed.ledger, before).catch(() => ({ key: keyOf(run), value: toStored(changed.ledger), version: 0 }));',
  },
  'losses-for-good': {
    campaign: 'connection',
    file: 'src/core/machine/retries.ts',
    says: 'a function that had no answer from the store is not called again',
    from: "ErrorEquals: ['StoreUnavailableError'],",
    to: "ErrorEquals: ['Nothing'],",
  },
  'stop-begins-again': {
    campaign: 'big-stop',
    file: 'src/core/lifecycle/end-agents.ts',
    says: 'a stop of many agents that broke off begins at the beginning',
    from: 'const MANY = 100;',
    to: 'const MANY = Infinity;',
  },
};

/**
 * Puts a fault into a bundle.
 * @param {string} root
 * @param {string} name
 * @returns {import('esbuild').Plugin}
 */
export function planting(root, name) {
  const fault = PLANTED[name];
  const { file, from, to } = fault;
  return {
    name: 'planted',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== join(root, file)) return undefined;
        const parts = (await readFile(path, 'utf8')).split(from);
        if (parts.length === 2) return { contents: parts.join(to), loader: 'ts' };
        return {
          errors: [{ text: `${file} has the text of the fault "${name}" ${parts.length - 1} times` }],
        };
      });
    },
  };
}
