import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../src/core/records/message.ts';
import { answers, lambdaThat } from '../fixtures/lambda-api.ts';
import { answer, openQuestions } from '../fixtures/questions.ts';
import { openStage, type Role } from '../fixtures/stage.ts';

const WEATHER = `
[[functions]]
name = "weather"
description = "Tells the weather of a city"
parameters = { type = "object", properties = { city = { type = "string", minLength = 1 }, days = { type = "integer" } }, required = ["city"], additionalProperties = false }
`;
const MODULE = `${WEATHER}file = "tools/weather.ts"`;
const FILES = {
  'tools/weather.ts': 'export const handler = ({ city }: { city: string }) => `rain in ${city}`;',
};

const weather = (args: ToolCall['arguments'], id = 'c1'): ToolCall => ({
  id,
  name: 'weather',
  arguments: args,
});
const calling =
  (...calls: ToolCall[]): Role =>
  ({ results }) =>
    results.length === 0 ? { calls } : { text: 'done' };

async function resultsOf(calls: ToolCall[], extra = MODULE, files: Record<string, string> = FILES) {
  const { run, asked } = await openStage({ top: calling(...calls) }, { top: extra }, files);
  await run();
  return asked.at(-1)?.results;
}

describe('a function of [[functions]]', () => {
  test('is offered by itself, with its own schema, and carried out', async () => {
    const { run, asked, pipeline } = await openStage(
      { top: calling(weather({ city: 'Ulm' })) },
      { top: MODULE },
      FILES,
    );
    const { run: record } = await run();
    expect(asked[0]?.request.tools).toEqual([
      {
        name: 'weather',
        description: 'Tells the weather of a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer' } },
          required: ['city'],
          additionalProperties: false,
        },
      },
    ]);
    expect(asked[1]?.results).toEqual(['rain in Ulm']);
    expect(await pipeline.store.opened(record.id)).toMatchObject({
      targets: {
        weather: {
          kind: 'function',
          source: { file: 'tools/weather.ts' },
          seconds: 30,
          isRepeatable: true,
          writes: true,
        },
      },
    });
  });

  test.each([
    [{}, 'argument "city" is missing'],
    [{ city: 7 }, 'argument "city" must be text, not 7'],
    [{ city: '' }, 'argument "city" is "": String is too short (0 < 1)'],
    [{ city: 'Ulm', days: 1.5 }, 'argument "days" must be a whole number, not 1.5'],
    [{ city: 'Ulm', x: 1 }, 'argument "x" is not allowed'],
    [{ x: 1 }, 'argument "city" is missing; argument "x" is not allowed'],
  ])('is not called with %j', async (args, words) => {
    expect(await resultsOf([weather(args)])).toEqual([
      `Error: the arguments of weather do not fit its parameters: ${words}`,
    ]);
  });

  test('is not called with more than Lambda takes', async () => {
    expect(await resultsOf([weather({ city: 'x'.repeat(6 * 2 ** 20) })])).toEqual([
      'Error: the arguments of weather are larger than 6 MB',
    ]);
  });

  test('that is too late is told of with its time', async () => {
    const files = {
      'tools/weather.ts': 'export const handler = () => new Promise(() => setInterval(() => {}, 99));',
    };
    expect(await resultsOf([weather({ city: 'Ulm' })], `${MODULE}\ntimeout = 1`, files)).toEqual([
      'Error: weather timed out after 1s',
    ]);
  });

  test.each([
    ["new Error('there is no such city')", 'there is no such city'],
    ["new RangeError('too far')", 'RangeError: too far'],
  ])('that throws %s is told of with its words', async (thrown, words) => {
    const files = { 'tools/weather.ts': `export const handler = () => { throw ${thrown}; };` };
    expect(await resultsOf([weather({ city: 'Ulm' })], MODULE, files)).toEqual([
      `Error: weather failed - ${words}`,
    ]);
  });

  test('is subject to permissions', async () => {
    const denied = `${MODULE}\n[permissions]\ndeny = ["weather"]`;
    expect(await resultsOf([weather({ city: 'Ulm' })], denied)).toEqual(['Unknown tool: "weather"']);
    const asking = { top: `mode = "ask"\n${MODULE}` };
    const { run, asked, pipeline, cwd } = await openStage(
      { top: calling(weather({ city: 'Ulm' }), weather({ city: 'Bonn' })) },
      asking,
      FILES,
    );
    const ended = run();
    for (const open of await openQuestions(pipeline.store, 1)) {
      await expect(answer(cwd, open, 'approve', undefined, { city: '', days: 'x' })).rejects.toThrow(
        'the arguments do not fit the parameters of weather: argument "city" is "": ',
      );
    }
    for (const decision of ['approve', 'deny']) {
      for (const open of await openQuestions(pipeline.store, 1)) await answer(cwd, open, decision);
    }
    await ended;
    expect(asked.at(-1)?.results).toEqual([
      'rain in Ulm',
      'Permission denied: "weather" was denied by the user.',
    ]);
    expect(await resultsOf([weather({ city: 'Ulm' })], `mode = "plan"\n${MODULE}\nwrites = false`)).toEqual([
      'rain in Ulm',
    ]);
  });

  test('gets its variables, whose secrets are kept out of the store and of events', async () => {
    const files = {
      'tools/weather.ts': `export const handler = ({ city }: { city: string }) => {
        console.log(process.env['KEY']);
        return { city, unit: process.env['UNIT'], length: process.env['KEY']?.length, key: process.env['KEY'] };
      };`,
      'no-config/cadre/config.toml': '[secrets]\nWEATHER_KEY = "canary-of-ulm"\n',
    };
    const { run, asked, pipeline, onEvent } = await openStage(
      { top: calling(weather({ city: 'Ulm' })) },
      { top: `${MODULE}\nenv = { UNIT = "C", KEY = "\${WEATHER_KEY}" }` },
      files,
    );
    const told: string[] = [];
    onEvent((event) => told.push(JSON.stringify(event)));
    const { run: record } = await run();
    expect(asked[1]?.results).toEqual(['{"city":"Ulm","unit":"C","length":13,"key":"[secret]"}']);
    const opened = await pipeline.store.opened(record.id);
    expect(opened?.targets?.['weather']).toMatchObject({
      source: { file: 'tools/weather.ts', env: { UNIT: 'C', KEY: '${WEATHER_KEY}' } },
    });
    expect(told.filter((event) => event.includes('[secret]')).length).toBeGreaterThan(0);
    expect(told.filter((event) => event.includes('canary'))).toEqual([]);
  });

  test('that misses a secret is told of with its name and is not called', async () => {
    expect(await resultsOf([weather({ city: 'Ulm' })], `${MODULE}\nenv = { KEY = "\${GONE}" }`)).toEqual([
      'Error: weather failed - it needs the secret GONE: set GONE in the environment, or in [secrets] of config.toml',
    ]);
  });

  test('may be a Lambda function, at an endpoint of its own', async () => {
    const { url, requests } = await lambdaThat(answers(200, {}, '{"sky":"grey"}'));
    const { run, asked } = await openStage(
      { top: calling(weather({ city: 'Ulm' })) },
      { top: `${WEATHER}function = "team-weather"` },
      {},
      { lambdaEndpoint: url },
    );
    await run();
    expect(asked[1]?.results).toEqual(['{"sky":"grey"}']);
    expect(requests).toEqual(['POST /2015-03-31/functions/team-weather/invocations {"city":"Ulm"}']);
  });
});
