import { useEffect, useState } from 'preact/hooks';
import type { Disconnected, ServerList } from '../../api/answers.ts';
import { post } from '../client/api.ts';
import { tab } from '../client/tab.ts';
import { useAnswer } from '../client/use-answer.ts';
import { hrefOf, type PageRoute } from '../route.ts';
import { Answered } from '../shared/answered.tsx';
import { Empty } from '../shared/empty.tsx';
import { useAction } from '../shared/use-action.ts';
import { useTitle } from '../shared/use-title.ts';
import { visible } from '../shared/visible.ts';
import { go } from '../use-route.ts';

type Server = ServerList['servers'][number];
type CameBack = NonNullable<Extract<PageRoute, { view: 'servers' }>['cameBack']>;

/**
 * The servers that agents want a person to sign in to, and whether this one has.
 * @param cameBack what the person has come back with from where they signed in; undefined: they have not
 */
export function ServersView({ cameBack }: { cameBack: CameBack | undefined }) {
  const answer = useAnswer<ServerList>('servers');
  const ending = useAction(async (sent: CameBack) => {
    await post('servers/callback', sent);
    answer.again();
  });
  useEffect(() => {
    if (cameBack === undefined) return;
    // It is good for once, and is nothing to go back to.
    go({ view: 'servers' }, 'replace');
    ending.run(cameBack);
  }, [cameBack?.['state']]);
  useTitle('Servers');
  return (
    <div>
      <h1>Servers</h1>
      <p class="muted">Agents use these with an account of yours, in runs that are yours.</p>
      {ending.error !== undefined && <p role="alert">Not connected: {visible(ending.error)}</p>}
      <Answered answer={answer} height={120} lines={3}>
        {({ servers }) =>
          servers.length === 0 ? (
            <Empty>
              The servers of tools whose <code>auth</code> is <code>"oauth"</code> are listed here.
            </Empty>
          ) : (
            servers.map((server) => <ServerCard key={server.id} server={server} onChanged={answer.again} />)
          )
        }
      </Answered>
    </div>
  );
}

function ServerCard({ server, onChanged }: { server: Server; onChanged: () => void }) {
  const { id, name, host, agents, connected, lacks, how_to: howTo } = server;
  const connecting = useAction(async () =>
    tab.leaveFor((await post<{ url: string }>(`servers/${id}/connect`)).url),
  );
  const [notRevoked, setNotRevoked] = useState<string>();
  const leaving = useAction(async () => {
    setNotRevoked((await post<Disconnected>(`servers/${id}/disconnect`)).not_revoked);
    onChanged();
  });
  const error = connecting.error ?? leaving.error;
  return (
    <section class="card" aria-label={visible(name)}>
      <div class="head">
        <h2>{visible(name)}</h2>
        <span class="badge">{connected ? 'connected' : 'not connected'}</span>
        <span class="muted">
          {visible(host)}, used by{' '}
          {agents.map((agent, index) => (
            <span key={agent}>
              {index > 0 && ', '}
              <a href={hrefOf({ view: 'agent', name: agent })}>{visible(agent)}</a>
            </span>
          ))}
        </span>
      </div>
      {lacks !== undefined && <p>It wants more scopes than it has been given: {visible(lacks)}.</p>}
      {howTo === undefined ? (
        <button type="button" disabled={connecting.isBusy} onClick={() => connecting.run()}>
          {connected ? 'Connect again' : 'Connect'}
        </button>
      ) : (
        <p>
          To sign in: <code>{visible(howTo)}</code>
        </p>
      )}{' '}
      {connected && (
        <button type="button" class="plain" disabled={leaving.isBusy} onClick={() => leaving.run()}>
          Disconnect
        </button>
      )}
      {notRevoked !== undefined && (
        <p role="status">It is forgotten here; its tokens stay valid until they end: {visible(notRevoked)}</p>
      )}
      {error !== undefined && <p role="alert">{visible(error)}</p>}
    </section>
  );
}
