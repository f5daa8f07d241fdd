import { useEffect, useState } from 'preact/hooks';
import { useTitle } from '../shared/use-title.ts';
import { count } from '../../../counted.ts';
import type { AgentDetails, AgentList } from '../../api/answers.ts';
import { ApiError, get } from '../client/api.ts';
import { hrefOf } from '../route.ts';
import { CodeText } from '../shared/code-text.tsx';
import { CopyButton } from '../shared/copy-button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { LongText } from '../shared/long-text.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { Skeleton } from '../shared/skeleton.tsx';
import { useAction } from '../shared/use-action.ts';
import { visible } from '../shared/visible.ts';
import { StartForm } from '../steering/start-form.tsx';
import { AgentCalls } from './agent-calls.tsx';
import { AgentLimits } from './agent-limits.tsx';
import { AgentRuns } from './agent-runs.tsx';
import { AgentTools } from './agent-tools.tsx';
import { PlanFigures } from './plan-figures.tsx';
import { callersOf } from './calls.ts';

/** Everything about one agent: what shapes its runs, what they may come to, and what they came to. */
export function AgentView({ name }: { name: string }) {
  const [agent, setAgent] = useState<AgentDetails>();
  const [callers, setCallers] = useState<readonly string[]>([]);
  const [isGone, setIsGone] = useState(false);
  const [isStarting, setIsStarting] = useState(false);
  const reading = useAction(async () => {
    try {
      setAgent(await get<AgentDetails>(`agents/${encodeURIComponent(name)}`));
    } catch (thrown) {
      setIsGone(thrown instanceof ApiError && thrown.status === 404);
      throw thrown;
    }
    setCallers(callersOf(name, (await get<AgentList>('agents')).agents));
  });
  useTitle(name);
  useEffect(() => reading.run(), []);
  return (
    <div class="agent-view">
      <nav aria-label="Above" class="muted">
        <a href={hrefOf({ view: 'agents' })}>All agents</a>
      </nav>
      <div class="row-of-actions">
        <h1>{name}</h1>
        {agent !== undefined && (
          <>
            <span class="badge code">{visible(agent.model)}</span>
            {agent.version !== null && (
              <span class="badge" title="A run begun now would have this version">
                version <span class="code">{agent.version}</span>
              </span>
            )}
            <button type="button" class="main" aria-haspopup="dialog" onClick={() => setIsStarting(true)}>
              Start a run
            </button>
          </>
        )}
      </div>
      {isStarting && (
        <Dialog title={`Start a run of ${name}`} onClose={() => setIsStarting(false)}>
          <StartForm agent={name} onStarted={() => setIsStarting(false)} />
        </Dialog>
      )}
      {agent === undefined && reading.error === undefined && <Skeleton height={120} lines={4} />}
      <ProblemText text={reading.error} />
      {agent === undefined ? (
        !isGone && reading.error !== undefined && <AgentRuns name={name} current={null} />
      ) : (
        <Parts agent={agent} callers={callers} />
      )}
    </div>
  );
}

function Parts({ agent, callers }: { agent: AgentDetails; callers: readonly string[] }) {
  const {
    name,
    description,
    prompt,
    prompt_link: link,
    fault,
    file,
    files,
    skill,
    servers,
    remembers,
  } = agent;
  const shown = [
    ...(skill === undefined ? [] : [`skill ${skill}`]),
    ...(files.length > 0 ? [files.join(', ')] : []),
    ...(remembers ? ['its memory follows'] : []),
  ];
  return (
    <>
      {description !== '' && <p class="agent-lead">{visible(description)}</p>}
      {fault !== undefined && (
        <p role="alert" class="problem">
          No run of it would begin now: {visible(fault)}
        </p>
      )}
      <div class="agent-parts">
        <div class="agent-column">
          <AgentRuns name={name} current={agent.version} />
          <PlanFigures plan={agent.plan} />
          {file !== undefined && (
            <section class="card">
              <h2>File</h2>
              <CodeText text={file} language="toml" />
            </section>
          )}
        </div>
        <div class="agent-column">
          <section class="card">
            <h2>Calls</h2>
            <AgentCalls agent={agent} callers={callers} />
            <AgentLimits agent={agent} />
          </section>
          <AgentTools tools={agent.tools} servers={servers} />
          <section class="card">
            <div class="head">
              <h2>Prompt</h2>
              {prompt !== null && <CopyButton text={prompt} what="the prompt" />}
            </div>
            {shown.length > 0 && <p class="muted">With {visible(shown.join('; '))}</p>}
            {prompt === null ? (
              link !== undefined && <a href={link.url}>{count(link.bytes)} bytes</a>
            ) : prompt === '' ? (
              <p class="muted">It has none.</p>
            ) : (
              <LongText text={prompt} class="code" />
            )}
          </section>
        </div>
      </div>
    </>
  );
}
