import { RequestMalformedError } from '@a2a-js/sdk/errors';
import * as v from 'valibot';
import type { Json } from '../../../json.ts';
import { notAList } from '../../../not-a-list.ts';
import { Problem } from '../problem.ts';
import { check } from '../request.ts';

const Text = v.nullish(v.string('must be a string'));
const Texts = v.nullish(v.array(v.string('must be a string'), 'must be an array'));
const Fields = v.nullish(notAList(v.record(v.string(), v.unknown(), 'must be an object')));

const Part = fields({
  text: Text,
  raw: Text,
  url: Text,
  filename: Text,
  mediaType: Text,
  metadata: Fields,
  file: Fields,
});

const Message = fields({
  messageId: Text,
  contextId: Text,
  taskId: Text,
  parts: v.nullish(v.array(Part, 'must be an array')),
  metadata: Fields,
  extensions: Texts,
  referenceTaskIds: Texts,
});

/**
 * What is read here of the parameters of any method, in both versions. The package hands on some as texts that are none.
 */
const Params = fields({
  id: Text,
  taskId: Text,
  contextId: Text,
  tenant: Text,
  pageToken: Text,
  message: v.nullish(Message),
  metadata: Fields,
  configuration: v.nullish(fields({ acceptedOutputModes: Texts })),
});

/** An object with these fields, among others. */
function fields<Entries extends v.ObjectEntries>(entries: Entries) {
  return notAList(v.looseObject(entries, 'must be an object'));
}

/** @throws {RequestMalformedError} which clients of both versions are told as wrong parameters */
export function assertParams(params: Json | undefined): void {
  if (params === undefined) return;
  try {
    check(v.object({ params: Params }), { params });
  } catch (thrown) {
    throw thrown instanceof Problem ? new RequestMalformedError(thrown.message) : thrown;
  }
}
