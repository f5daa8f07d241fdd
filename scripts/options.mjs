// The options of commands for those who work on the project: what they mean is told by --help, and mistakes in a line.
import { parseArgs } from 'node:util';

/**
 * Reads options from the command line. Ends the process with 0 after `--help`, and with 2 after a mistake.
 * @param {string} command what one types, with what it does: the first lines of its help
 */
export function readOptions(command, options, given = process.argv.slice(2)) {
  const read = optionsIn(command, options, given);
  if ('values' in read) return read.values;
  if ('help' in read) {
    console.log(read.help);
    process.exit(0);
  }
  return refuse(read.mistake);
}

/** Says what is wrong with what was typed, and ends the process. */
export function refuse(mistake) {
  console.error(mistake);
  process.exit(2);
}

const NUMBERS = {
  number: { form: /^(\d+(\.\d+)?|Infinity)$/, says: 'a number' },
  whole: { form: /^\d{1,10}$/, says: 'a whole number' },
};

/** The values of options, or what is to be said instead. */
export function optionsIn(command, options, given) {
  const entries = Object.entries({ ...options, help: { type: 'boolean', help: 'prints this' } });
  const help = [command, '', ...entries.filter(([, { help }]) => help !== undefined).map(lineOf)].join('\n');
  const known = entries.map(([name, { type, multiple = false }]) => [
    name,
    { type: type === 'boolean' ? 'boolean' : 'string', multiple },
  ]);
  let values;
  try {
    ({ values } = parseArgs({ args: given, options: Object.fromEntries(known) }));
  } catch (thrown) {
    return { mistake: `${thrown.message.split('. ')[0]}\n\n${help}` };
  }
  if (values.help) return { help };
  for (const [name, { type, default: unless }] of entries) {
    const value = values[name] ?? unless ?? (type === 'boolean' ? false : undefined);
    values[name] = value;
    const what = NUMBERS[type];
    if (what === undefined || value === undefined) continue;
    const texts = [value].flat().map(String);
    const wrong = texts.find((text) => !what.form.test(text));
    if (wrong !== undefined) return { mistake: `--${name} takes ${what.says}, not ${JSON.stringify(wrong)}` };
    values[name] = Array.isArray(value) ? texts.map(Number) : Number(texts[0]);
  }
  return { values };
}

function lineOf([name, { type, help, default: unless }]) {
  const shown = type === 'boolean' ? `--${name}` : `--${name} <${type in NUMBERS ? 'n' : 'text'}>`;
  const otherwise = unless === undefined || unless === Infinity ? '' : ` (${[unless].flat().join(', ')})`;
  return `  ${shown.padEnd(20)} ${help}${otherwise}`;
}
