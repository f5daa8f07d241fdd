import { visible } from '../shared/visible.ts';
import type { Call } from './turns.ts';

export interface ChangedArgumentsProps {
  asked: Call['arguments'];
  changed: Call['arguments'];
  /** Who changed them, where that is known. */
  by: string | undefined;
  /** Whether the call has a result, so that it was carried out with these. */
  isCarriedOut: boolean;
}

/** The arguments that a model asked for beside those that a person approved in their place. */
export function ChangedArguments({ asked, changed, by, isCarriedOut }: ChangedArgumentsProps) {
  const names = [...new Set([...Object.keys(asked), ...Object.keys(changed)])];
  return (
    <div class="changed" role="group" aria-label="Changed arguments" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Argument</th>
            <th scope="col">Asked by the model</th>
            <th scope="col">
              Changed by {by === undefined ? 'a person' : visible(by)}
              {isCarriedOut ? ', and carried out' : ', to be carried out'}
            </th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const [before, after] = [textOf(asked, name), textOf(changed, name)];
            const isSame = before === after;
            return (
              <tr key={name} class={isSame ? 'same' : 'other'}>
                <th scope="row">{visible(name)}</th>
                <td>{before === undefined ? <em>none</em> : visible(before)}</td>
                <td>{after === undefined ? <em>none</em> : isSame ? 'the same' : visible(after)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function textOf(given: Call['arguments'], name: string): string | undefined {
  if (!Object.hasOwn(given, name)) return undefined;
  const value = given[name];
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
