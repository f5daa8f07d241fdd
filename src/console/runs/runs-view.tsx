import { useEffect, useState } from 'preact/hooks';
import type { RunList } from '../../api/schemas.ts';
import { get } from '../client/api.ts';
import { hrefOf } from '../route.ts';

/** The runs that there are, newest first. */
export function RunsView() {
  const [list, setList] = useState<RunList>();
  useEffect(() => void get<RunList>('runs').then(setList), []);
  return (
    <ul>
      {list?.runs.map(({ run_id: id, agent, status }) => (
        <li key={id}>
          <a href={hrefOf({ view: 'run', top: id, selected: id })}>{agent}</a> {status}
        </li>
      ))}
    </ul>
  );
}
