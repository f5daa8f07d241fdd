import { parseModelName } from '../model/model-name.ts';
import { samplingOf, temperatureOf, type Opened } from '../records/opened.ts';
import { withModel } from '../records/with-model.ts';
import { derivedOffer } from '../tool-contracts/offer.ts';
import { remoteOffer } from '../tool-contracts/remote-offer.ts';
import type { OwnTools } from '../tool-contracts/own-tools.ts';
import type { Origin } from './origin.ts';
import { defined } from '../../defined.ts';

/**
 * Opens a conversation like its caller's, with differences. No file is read: it starts from the caller's own opening,
 * even if the agent's file has changed since. It does not get what belongs to one run: memory, input, time.
 * @param tools with all of the derivation
 * @throws {AgentError} if the model cannot be chosen
 */
export function derive(
  { from: caller, differences }: Required<Origin>['derived'],
  origin: Origin,
  tools: OwnTools,
): Opened {
  const { caps, isComputed, model, quietSeconds, remote, system } = differences;
  if (model !== undefined && !isComputed) parseModelName(model);
  const from = withModel(caller, model ?? caller.model);
  const offer =
    remote === undefined
      ? derivedOffer(caller, differences, origin.depth, tools)
      : remoteOffer(caller, remote, origin.depth, tools);
  // A computed conversation makes few calls, and no model reads warnings. Any other has its caller's limits, so that
  // no sub-agent can do through another what it may not do itself.
  const limits = caps ?? (isComputed ? undefined : from.caps);
  const {
    version,
    pack,
    retry,
    reasoningEffort,
    api,
    service,
    stream,
    images,
    context,
    budget,
    workdir,
    folder,
    skill,
    skills,
    files,
  } = from;
  const { owner, sharesWorkspace, memoryTools, hooks, guardrail } = from;
  return {
    root: from.root,
    ...defined({ budget, retry, context }),
    agent: origin.agent,
    ...defined({ version, pack }),
    model: from.model,
    system: system ?? from.system,
    ...(system === undefined && skill !== undefined && { skill }),
    ...(system === undefined && files !== undefined && { files }),
    ...defined({ skills, heldTo: differences.skills }),
    message: origin.message,
    ...(from.sharesInput && { sharesInput: true }),
    ...(origin.inputOf !== undefined && !isComputed && { inputOf: origin.inputOf }),
    ...samplingOf(temperatureOf(from)),
    maxTokens: from.maxTokens,
    ...defined({ reasoningEffort, api, service, stream, images }),
    ...offer,
    ...(offer.delegation.remotes !== undefined && defined({ remotes: from.remotes })),
    ...(remote === undefined && defined({ hooks, guardrail })),
    ...defined({ caps: limits, quietSeconds, workdir, folder, owner, sharesWorkspace, memoryTools }),
    timeout: 0,
  };
}
