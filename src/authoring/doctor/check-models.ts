import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { Models, ModelRequest } from '../../core/model/model.ts';
import { counted } from '../../counted.ts';
import { MissingKeyError, messageOf, ModelError } from '../../errors.ts';
import { check, ok, wrong, type Finding } from './finding.ts';

/** Longer than any provider takes for a word. */
const ANSWER_MS = 20_000;

/** Whether all agents can be loaded. @returns the models that they name, too */
export async function checkAgentFiles(source: AgentSource): Promise<{ finding: Finding; models: string[] }> {
  const models = new Set<string>();
  const finding = await check('agents', async () => {
    const names = await source.list();
    const faults: string[] = [];
    for (const name of names) {
      try {
        models.add((await loadAgent(name, source)).agent.model);
      } catch (thrown) {
        faults.push(messageOf(thrown));
      }
    }
    if (faults.length > 0)
      return wrong(faults.join('; '), 'mend the files; cadre agents check looks at all of them');
    return ok(names.length === 0 ? 'none in this folder' : counted(names.length, 'agent'));
  });
  return { finding, models: [...models].sort() };
}

/** Whether each model has its key and answers: asked to count the tokens of a word, or where that is not free, for one. */
export function checkModels(names: readonly string[], models: Models): Promise<Finding[]> {
  return Promise.all(
    names.map((each) =>
      check(`model ${each}`, async () => {
        try {
          const { model, name } = await models.open(each);
          const signal = AbortSignal.timeout(ANSWER_MS);
          if (model.countTokens === undefined) await model.send(aWord(name), signal);
          else await model.countTokens(aWord(name), signal);
          return ok('answers');
        } catch (thrown) {
          if (thrown instanceof MissingKeyError) return wrong('no key', thrown.message);
          if (thrown instanceof ModelError) return wrong(thrown.message, adviceOn(thrown));
          throw thrown;
        }
      }),
    ),
  );
}

function aWord(model: string): ModelRequest {
  return { model, system: '', messages: [{ role: 'user', text: 'Hello' }], tools: [], maxTokens: 16 };
}

function adviceOn({ category }: ModelError): string {
  switch (category) {
    case 'auth':
      return 'the key is not taken: set another';
    case 'bad_request':
      return "look whether the model's name is right, and the account may use it";
    case 'rate_limit':
      return 'wait, or have the limit of the account raised';
    default:
      return "look at the provider's status page and at the network";
  }
}
