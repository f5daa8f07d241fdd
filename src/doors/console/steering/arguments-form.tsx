import { useId } from 'preact/hooks';
import { ApiError } from '../client/api.ts';
import { focusOnce } from '../shared/focus-once.ts';
import { submitting } from '../shared/submitting.ts';
import { useDraft } from '../shared/use-draft.ts';
import { faultsIn, fieldSchema, membersOf, type FieldFaults } from './field-schema.ts';
import { parseArguments } from './parse-arguments.ts';
import { SchemaField } from './schema-field.tsx';
import { SubmitOrBack } from './submit-or-back.tsx';

export interface ArgumentsFormProps {
  /** Names the call. */
  of: string;
  /** As the model wrote them, whole. */
  given: Record<string, unknown>;
  /** The JSON Schema of what the tool takes; absent: only JSON can be written. */
  parameters: Record<string, unknown> | undefined;
  /** The server's refusal of the last ones. */
  problem: unknown;
  isBusy: boolean;
  onApprove: (changed: Record<string, unknown>) => void;
  onCancel: () => void;
}

/** Other arguments for a call: in fields made from the tool's schema, or as JSON. */
export function ArgumentsForm(props: ArgumentsFormProps) {
  const { of, given, parameters, problem, isBusy, onApprove, onCancel } = props;
  const schema = fieldSchema(parameters);
  const hasFields = schema.kind === 'object';
  const [value, setValue] = useDraft(`arguments ${of}`, given);
  const [json, setJson] = useDraft(`json ${of}`, hasFields ? undefined : textOf(given));
  const faults = faultsIn(value, schema);
  const parsed = json === undefined ? undefined : parseArguments(json);
  const isWrong = parsed === undefined ? faults.size > 0 : 'fault' in parsed;
  const submit = () => {
    if (isWrong) return;
    if (parsed === undefined) onApprove(value);
    else if ('value' in parsed) onApprove(parsed.value);
  };
  const goToFields = () => {
    if (parsed !== undefined && 'value' in parsed) setValue(parsed.value);
    setJson(undefined);
  };
  return (
    <form class="arguments-form" onSubmit={submitting(submit)}>
      {json === undefined ? (
        <div ref={focusOnce} tabIndex={-1} role="group" aria-label="Arguments">
          <SchemaField
            name=""
            place={[]}
            schema={schema}
            value={value}
            faults={new Map([...told(problem), ...faults])}
            onValue={(changed) => setValue(membersOf(changed))}
          />
        </div>
      ) : (
        <JsonField
          text={json}
          onText={setJson}
          fault={parsed !== undefined && 'fault' in parsed ? parsed.fault : ''}
        />
      )}
      <SubmitOrBack onCancel={onCancel}>
        <button type="submit" class="main" aria-disabled={isBusy || isWrong}>
          Approve with these
        </button>
        {hasFields &&
          (json === undefined ? (
            <button type="button" class="plain" onClick={() => setJson(textOf(value))}>
              As JSON
            </button>
          ) : (
            <button type="button" class="plain" aria-disabled={isWrong} onClick={goToFields}>
              As fields
            </button>
          ))}
      </SubmitOrBack>
    </form>
  );
}

function JsonField({ text, onText, fault }: { text: string; onText: (text: string) => void; fault: string }) {
  const about = useId();
  return (
    <>
      <label class="field">
        Arguments, as JSON
        <textarea
          rows={8}
          class="code"
          spellcheck={false}
          ref={focusOnce}
          value={text}
          aria-invalid={fault !== ''}
          aria-describedby={about}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </label>
      <p id={about} class="problem" role="status">
        {fault}
      </p>
    </>
  );
}

/** The server's own words, at the fields that they are about. */
function told(problem: unknown): FieldFaults {
  if (!(problem instanceof ApiError)) return new Map();
  const faults = problem.errors.filter(({ field }) => field.startsWith(PREFIX));
  return new Map(faults.map(({ field, detail }) => [field.slice(PREFIX.length), detail]));
}

const PREFIX = 'arguments.';

function textOf(value: Record<string, unknown>): string {
  return JSON.stringify(value, undefined, 2);
}
