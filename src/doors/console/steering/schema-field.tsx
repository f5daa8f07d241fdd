import { useId, useState } from 'preact/hooks';
import { visible } from '../shared/visible.ts';
import {
  emptyValue,
  membersOf,
  NO_JSON,
  type FieldFaults,
  type FieldSchema,
  type FieldMember,
} from './field-schema.ts';

export interface SchemaFieldProps {
  /** How people call it; "" for the whole. */
  name: string;
  /** The names and indexes that lead to it, from the whole. */
  place: readonly string[];
  schema: FieldSchema;
  value: unknown;
  faults: FieldFaults;
  onValue: (value: unknown) => void;
  /** Leaves it out; absent: it is required. */
  onLeaveOut?: (() => void) | undefined;
}

/** The field, or the group of fields, for a value that has this schema. */
export function SchemaField(props: SchemaFieldProps) {
  const { schema, value } = props;
  if (schema.kind === 'object' && isObject(value)) return <ObjectFields {...props} schema={schema} />;
  if (schema.kind === 'list' && Array.isArray(value)) return <ListFields {...props} schema={schema} />;
  return <OneField {...props} />;
}

/** A value that stands in one field. */
function OneField(props: SchemaFieldProps) {
  const { name, place, schema, value, faults, onLeaveOut } = props;
  const [field, about] = [useId(), useId()];
  const fault = faults.get(place.join('.'));
  const { description } = schema.about;
  const described = { id: field, 'aria-describedby': about, 'aria-invalid': fault !== undefined };
  return (
    <div class="schema-field">
      <div class="schema-name">
        <label for={field}>{labelOf(name, schema)}</label>
        {onLeaveOut !== undefined && <LeaveOut name={name} onLeaveOut={onLeaveOut} />}
      </div>
      <Input {...props} described={described} value={value} />
      <p id={about} class="schema-about">
        {fault !== undefined && <strong class="problem">{visible(fault)}. </strong>}
        {description !== undefined && <span class="muted">{visible(description)}</span>}
      </p>
    </div>
  );
}

interface InputProps extends SchemaFieldProps {
  described: { id: string; 'aria-describedby': string; 'aria-invalid': boolean };
}

function Input({ schema, value, onValue, described }: InputProps) {
  switch (schema.kind) {
    case 'text':
      if (typeof value !== 'string') break;
      return schema.isLong ? (
        <textarea
          {...described}
          rows={Math.min(10, value.split('\n').length)}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      ) : (
        <input {...described} value={value} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      );
    case 'number':
      if (typeof value !== 'number') break;
      return (
        <input
          {...described}
          type="number"
          inputMode={schema.isWhole ? 'numeric' : 'decimal'}
          step={schema.isWhole ? 1 : 'any'}
          min={schema.min}
          max={schema.max}
          value={Number.isNaN(value) ? '' : value}
          onInput={({ currentTarget }) => onValue(currentTarget.valueAsNumber)}
        />
      );
    case 'flag':
      if (typeof value !== 'boolean') break;
      return (
        <input
          {...described}
          type="checkbox"
          checked={value}
          onChange={({ currentTarget }) => onValue(currentTarget.checked)}
        />
      );
    case 'choice': {
      const { choices } = schema;
      const chosen = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
      return (
        <select
          {...described}
          value={String(chosen)}
          onChange={({ currentTarget }) => onValue(choices[Number(currentTarget.value)])}
        >
          {chosen < 0 && <option value="-1">{visible(JSON.stringify(value) ?? '')}</option>}
          {choices.map((choice, index) => (
            <option key={index} value={String(index)}>
              {visible(typeof choice === 'string' ? choice : JSON.stringify(choice))}
            </option>
          ))}
        </select>
      );
    }
    case 'list':
    case 'object':
    case 'json':
  }
  return <JsonInput value={value} onValue={onValue} described={described} />;
}

/** A value that no field fits, or that is of another type than its field. */
function JsonInput({ value, onValue, described }: Pick<InputProps, 'value' | 'onValue' | 'described'>) {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2) ?? '');
  return (
    <textarea
      {...described}
      class="code"
      spellcheck={false}
      rows={Math.min(10, text.split('\n').length)}
      value={text}
      onInput={({ currentTarget }) => {
        setText(currentTarget.value);
        onValue(parsed(currentTarget.value));
      }}
    />
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NO_JSON;
  }
}

function ObjectFields(props: SchemaFieldProps & { schema: Extract<FieldSchema, { kind: 'object' }> }) {
  const { name, place, schema, value, faults, onValue, onLeaveOut } = props;
  const members = membersOf(value);
  const known = new Set(schema.members.map((member) => member.name));
  const unknown = Object.keys(members).filter((member) => !known.has(member));
  const [shown, left] = [
    schema.members.filter((member) => member.isRequired || Object.hasOwn(members, member.name)),
    schema.members.filter((member) => !member.isRequired && !Object.hasOwn(members, member.name)),
  ];
  const without = (member: string) => () => {
    const { [member]: _left, ...rest } = members;
    onValue(rest);
  };
  const fieldOf = (member: FieldMember) => (
    <SchemaField
      key={member.name}
      name={member.name}
      place={[...place, member.name]}
      schema={member.schema}
      value={Object.hasOwn(members, member.name) ? members[member.name] : emptyValue(member.schema)}
      faults={faults}
      onValue={(changed) => onValue({ ...members, [member.name]: changed })}
      onLeaveOut={member.isRequired ? undefined : without(member.name)}
    />
  );
  const fields = (
    <>
      {shown.map(fieldOf)}
      {unknown.map((member) => fieldOf({ name: member, isRequired: false, schema: ANYTHING }))}
      {left.length > 0 && (
        <div class="row-of-actions">
          {left.map((member) => (
            <button
              type="button"
              key={member.name}
              class="plain"
              onClick={() => onValue({ ...members, [member.name]: emptyValue(member.schema) })}
            >
              Add {visible(member.name)}
            </button>
          ))}
        </div>
      )}
    </>
  );
  if (name === '') return <div class="schema-members">{fields}</div>;
  return (
    <Group name={name} schema={schema} fault={faults.get(place.join('.'))} onLeaveOut={onLeaveOut}>
      {fields}
    </Group>
  );
}

const ANYTHING: FieldSchema = { kind: 'json', about: { title: undefined, description: undefined } };

function ListFields(props: SchemaFieldProps & { schema: Extract<FieldSchema, { kind: 'list' }> }) {
  const { name, place, schema, value, faults, onValue, onLeaveOut } = props;
  const items: unknown[] = Array.isArray(value) ? value : [];
  return (
    <Group name={name} schema={schema} fault={faults.get(place.join('.'))} onLeaveOut={onLeaveOut}>
      {items.map((item, index) => (
        <SchemaField
          key={`${index} of ${items.length}`}
          name={`${name} ${index + 1}`}
          place={[...place, String(index)]}
          schema={schema.items}
          value={item}
          faults={faults}
          onValue={(changed) => onValue(items.with(index, changed))}
          onLeaveOut={() => onValue(items.toSpliced(index, 1))}
        />
      ))}
      <button type="button" class="plain" onClick={() => onValue([...items, emptyValue(schema.items)])}>
        Add one to {visible(name)}
      </button>
    </Group>
  );
}

interface GroupProps extends Pick<SchemaFieldProps, 'name' | 'schema' | 'onLeaveOut'> {
  fault: string | undefined;
  children: preact.ComponentChildren;
}

function Group({ name, schema, fault, onLeaveOut, children }: GroupProps) {
  return (
    <fieldset class="schema-group">
      <legend>{labelOf(name, schema)}</legend>
      {onLeaveOut !== undefined && <LeaveOut name={name} onLeaveOut={onLeaveOut} />}
      {schema.about.description !== undefined && <p class="muted">{visible(schema.about.description)}</p>}
      {fault !== undefined && <p class="problem">{visible(fault)}</p>}
      {children}
    </fieldset>
  );
}

function LeaveOut({ name, onLeaveOut }: { name: string; onLeaveOut: () => void }) {
  return (
    <button type="button" class="plain" aria-label={`Leave out ${visible(name)}`} onClick={onLeaveOut}>
      Leave out
    </button>
  );
}

function labelOf(name: string, { about }: FieldSchema): string {
  return visible(about.title === undefined || about.title === name ? name : `${about.title} (${name})`);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
